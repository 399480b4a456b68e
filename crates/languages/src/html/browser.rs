//! What readers of pages think of them: what a browser builds, after the HTML standard.
//!
//! It must not depend on edits, searches, or how our trees are made.

use std::sync::{Arc, Mutex, PoisonError};

use minirepro_syntax::{Copied, ParseErrors, Reader};

use crate::html::page::Page;

/// A browser's view of pages.
pub(crate) struct Browser {
    reader: Arc<dyn Reader>,
    /// The pages that were asked about last, the latest one first: there are many edits of one
    /// page, and several questions about each.
    last: Mutex<Vec<Arc<Page>>>,
}

/// The number of pages that are kept.
const KEPT: usize = 4;

impl Browser {
    pub(crate) fn new(reader: Arc<dyn Reader>) -> Self {
        Self { reader, last: Mutex::default() }
    }

    /// Reads a page; `None` for one that is so large, or nested so deeply, that our own parser does
    /// without a tree.
    fn read(&self, page: &[u8]) -> Option<Arc<Page>> {
        if self.reader.is_too_much(page) {
            return None;
        }
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last().iter().find(|read| read.text == page).cloned();
        let read = known.unwrap_or_else(|| Arc::new(Page::read(page)));
        let mut last = last();
        last.retain(|other| other.text != page);
        last.insert(0, Arc::clone(&read));
        last.truncate(KEPT);
        Some(read)
    }
}

impl Reader for Browser {
    fn inner(&self) -> Option<&dyn Reader> {
        Some(&*self.reader)
    }

    fn parse_errors(&self, text: &[u8]) -> Option<ParseErrors> {
        let page = self.read(text)?;
        let mut all = self.reader.parse_errors(text).unwrap_or_default();
        all.add(page.errors.clone());
        Some(all)
    }

    fn edit_is_faithful(&self, before: &[u8], after: &[u8], copied: &[Copied]) -> bool {
        match (self.read(before), self.read(after)) {
            (Some(before), Some(after)) => Page::keeps(&before, &after, copied),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::ParseErrors;

    #[test]
    fn what_is_cut_out_of_a_page_is_no_reason_to_complain() {
        let html = crate::by_name("html").unwrap().reader;
        let parse_errors = |page: &str| html.parse_errors(page.as_bytes());
        assert_eq!(
            parse_errors("<!DOCTYPE html><title>a</title><style>b{"),
            Some(ParseErrors::default())
        );
        assert_eq!(parse_errors("<b>a</b>"), Some(ParseErrors::default()));
        let [stray, twice, open] = ["</q>", "</q><b></q>", "<b"]
            .map(|end| parse_errors(&format!("<!DOCTYPE html><title>a</title>{end}")).unwrap());
        assert!(stray.complains_at_most_as(&twice) && !twice.complains_at_most_as(&stray));
        assert!(!open.complains_at_most_as(&stray) && !stray.complains_at_most_as(&open));
        let [quote, cut] = ["<b x \">", "<b x"].map(|tag| parse_errors(tag).unwrap());
        assert!(quote == cut && cut.count() == 1, "{cut:?}");
    }
}
