//! The differences between two versions of several files: files, parts of programs, hunks, lines.
//!
//! Must not depend on where the versions come from (directories, a repository).

use std::ops::Range;
use std::sync::Arc;

use minirepro_search::Configuration;

use crate::archive::{Entry, entries};
use crate::circumstances::Circumstances;
use crate::language_of::LanguageOf;
use crate::versions::dependencies::Dependencies;
use crate::versions::merge::{Merge, Segment, Segments};
use crate::versions::plausibility::Plausibility;
use crate::versions::trees::open;
use crate::versions::units::by_line;

/// What is one circumstance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grain {
    /// All changes of a file.
    File,
    /// All changes of a function or another part of a program that stands by itself.
    Function,
    /// Neighbouring changed lines.
    #[default]
    Hunk,
    /// A changed line.
    Line,
}

/// The changes between two archives, on one level.
#[derive(Clone)]
pub struct Changes {
    merge: Merge,
    grain: Grain,
    finest: Grain,
    plausibility: Arc<Plausibility>,
    needs: Arc<Dependencies>,
}

impl Changes {
    /// Returns what lies between two archives, file by file at first, no finer than `finest`.
    pub fn new(
        passing: Arc<[u8]>,
        failing: Arc<[u8]>,
        finest: Grain,
        language: Box<LanguageOf>,
    ) -> Self {
        let plausibility = Arc::new(Plausibility::new(&passing, &failing, language));
        let merge = by_file(&Merge::whole(passing, failing));
        let needs = Arc::new(Dependencies::of(&merge, &plausibility));
        Self { merge, grain: Grain::File, finest, plausibility, needs }
    }

    fn opened(&self, left: &Merge, grain: Grain) -> Merge {
        match grain {
            Grain::File => left.clone(),
            Grain::Function => self.by_function(left),
            Grain::Hunk => by_line(left, false),
            Grain::Line => by_line(left, true),
        }
    }

    /// Opens what differs in files whose grammar is known.
    fn by_function(&self, left: &Merge) -> Merge {
        let (old, new) = (&left.old, &left.new);
        let news = entries(new);
        let mut parts = Vec::new();
        for part in &left.parts {
            let whole = |all: &[Entry<'_>], span: &Range<usize>| {
                all.iter().find(|e| e.body() == *span).map(|e| e.path.to_vec())
            };
            let path = (!part.common).then(|| whole(&news, &part.new)).flatten();
            let texts = [&old[part.old.clone()], &new[part.new.clone()]];
            let language = path.and_then(|path| self.plausibility.language(&path, texts[1]));
            let Some(language) = language.filter(|_| !texts[0].is_empty()) else {
                parts.push(part.clone());
                continue;
            };
            let [a, b] = texts.map(|text| language.parser.parse(text));
            let inner = open(&a, &b, &Merge::whole(texts[0].into(), texts[1].into()), 1);
            parts.extend(inner.parts.iter().map(|p| Segment {
                old: p.old.start + part.old.start..p.old.end + part.old.start,
                new: p.new.start + part.new.start..p.new.end + part.new.start,
                common: p.common,
            }));
        }
        left.cut(parts)
    }
}

impl Circumstances for Changes {
    fn name(&self) -> &'static str {
        match self.grain {
            Grain::File => "files",
            Grain::Function => "functions",
            Grain::Hunk => "hunks",
            Grain::Line => "lines",
        }
    }

    fn weights(&self) -> Vec<u32> {
        self.merge.weights()
    }

    fn candidate(&self, there: &Configuration) -> Option<Vec<u8>> {
        let text = self.merge.text(&self.needs.closure(there));
        self.plausibility.takes(&text).then_some(text)
    }

    fn finer(
        &self,
        passing: &Configuration,
        failing: &Configuration,
    ) -> Option<Arc<dyn Circumstances>> {
        let ends = [passing, failing].map(|end| self.needs.closure(end));
        let left = self.merge.between(&ends[0], &ends[1]);
        let grains = [Grain::Function, Grain::Hunk, Grain::Line];
        let finer = |grain| {
            let merge = self.opened(&left, grain);
            (merge.differences() != left.differences()).then(|| {
                let needs = Arc::new(Dependencies::of(&merge, &self.plausibility));
                Self { merge, grain, needs, ..self.clone() }
            })
        };
        let mut next = grains.into_iter().filter(|&g| self.grain < g && g <= self.finest);
        next.find_map(finer).map(|finer| Arc::new(finer) as Arc<dyn Circumstances>)
    }
}

/// Returns one part a file, or two where what kind of file it is has changed as well.
fn by_file(whole: &Merge) -> Merge {
    let (old, new) = (&whole.old, &whole.new);
    let (olds, news) = (entries(old), entries(new));
    let mut parts = Segments::default();
    let (mut olds, mut news) = (olds.iter().peekable(), news.iter().peekable());
    loop {
        match (olds.peek(), news.peek()) {
            (None, None) => break,
            (Some(a), Some(b)) if a.path == b.path => {
                parts.push(a.body().start, b.body().start, a.kind == b.kind);
                parts.push(a.span.end, b.span.end, a.text == b.text);
                olds.next();
                news.next();
            }
            (Some(a), b) if b.is_none_or(|b| a.path < b.path) => {
                parts.push(a.span.end, 0, false);
                olds.next();
            }
            (_, b) => {
                parts.push(0, b.map_or(0, |b| b.span.end), false);
                news.next();
            }
        }
    }
    parts.push(old.len(), new.len(), true);
    whole.cut(parts.all)
}
