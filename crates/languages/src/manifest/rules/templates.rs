//! New texts: tokens and captures.

use std::sync::Arc;

use minirepro_syntax::{Placement, Put, TemplatePart};

use crate::manifest::error::ManifestError;
use crate::manifest::roles::kind;
use crate::manifest::rules::compiler::{Compiler, Names};
use crate::manifest::rules::file::ActionTable;
use crate::manifest::rules::patterns::captures;

/// The captures that `declared_for` gives.
const PROPERTY: &str = "PROPERTY";
const VALUE: &str = "VALUE";

/// The token with which the language ends statements.
const END: &str = "END";

impl Compiler<'_> {
    /// Compiles a new text.
    pub(super) fn put(
        &self,
        code: &str,
        table: &ActionTable,
        place: Placement,
        names: &Names,
    ) -> Result<Put, ManifestError> {
        let capture = |name: &String| {
            names.known(name).ok_or_else(|| ManifestError::UnknownCapture {
                name: name.clone(),
                rule: code.to_owned(),
            })
        };
        let substitute = match &table.substitute {
            Some([from, to]) => Some((capture(from)?, capture(to)?)),
            None => None,
        };
        let text = |text: &Option<String>| text.as_ref().map(|text| Arc::from(text.as_bytes()));
        Ok(Put {
            template: self.template(code, table, names)?,
            kind: table.kind.as_ref().map(|name| kind(self.kinds, name)).transpose()?,
            separator: text(&table.separator),
            joint: text(&table.joint),
            place,
            with_edits: table.with_edits,
            substitute,
        })
    }

    /// Splits a new text into tokens and captures. Blank space is a token only if it is all of the
    /// text.
    fn template(
        &self,
        code: &str,
        table: &ActionTable,
        names: &Names,
    ) -> Result<Vec<TemplatePart>, ManifestError> {
        let mut parts = Vec::new();
        if code.trim_ascii().is_empty() && !code.is_empty() {
            parts.push(TemplatePart::Token(Arc::from(code.as_bytes())));
        }
        let mut at = 0;
        for found in captures().captures_iter(code) {
            let all = found.get(0).expect("the whole match is a group");
            parts.extend(self.tokens(&code[at..all.start()]));
            at = all.end();
            parts.push(self.capture(&found["name"], all.as_str(), code, table, names)?);
        }
        parts.extend(self.tokens(&code[at..]));
        Ok(parts)
    }

    /// Returns the part of a text that a capture is, written as `whole` in `code`.
    fn capture(
        &self,
        name: &str,
        whole: &str,
        code: &str,
        table: &ActionTable,
        names: &Names,
    ) -> Result<TemplatePart, ManifestError> {
        if let Some(namespace) = table.name_of.get(name) {
            return Ok(TemplatePart::NameOf(Arc::from(&namespace[..])));
        }
        if table.fresh.as_deref() == Some(name) {
            return Ok(TemplatePart::Fresh);
        }
        let of_class = table.declared_for.as_ref().and_then(|class| names.known(class));
        match (name, of_class) {
            (PROPERTY, Some(class)) => return Ok(TemplatePart::DeclaredProperty(class)),
            (VALUE, Some(class)) => return Ok(TemplatePart::DeclaredValue(class)),
            _ => {}
        }
        if let Some(end) = self.roles.tokens.statement_end.as_ref().filter(|_| name == END) {
            return Ok(TemplatePart::Token(Arc::clone(end)));
        }
        let string = table.name_in.get(name);
        let known = string.map_or(name, String::as_str);
        let capture = names.known(known).ok_or_else(|| ManifestError::UnknownCapture {
            name: whole.to_owned(),
            rule: code.to_owned(),
        })?;
        Ok(match (string, whole.starts_with("$$$")) {
            (Some(_), _) => TemplatePart::NameIn(capture),
            (None, true) => TemplatePart::Nodes(capture),
            (None, false) => TemplatePart::Node(capture),
        })
    }

    fn tokens<'t>(&self, text: &'t str) -> impl Iterator<Item = TemplatePart> + use<'t> {
        let text = text.as_bytes();
        self.lexing.tokens(text).map(|span| TemplatePart::Token(Arc::from(&text[span])))
    }
}
