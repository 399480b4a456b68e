//! What the sweep over all single edits has shown: the certificate of the result.

use minirepro_search::Outcome;

use crate::{Certificate, EditKind};

/// A sweep under way, and its certificate.
#[derive(Clone, Default)]
pub(crate) struct Sweep {
    pub certificate: Certificate,
    /// Whether only the sweep is wanted.
    pub verifies: bool,
    /// Whether it tries what a pass has not yet tried: the certificate does not hold that.
    pub tries_new: bool,
    /// Whether edits that the certificate would name were skipped since it began.
    pub is_cut: bool,
}

impl Sweep {
    /// Begins it anew.
    pub(crate) fn begin(&mut self) {
        self.certificate = Certificate::default();
        self.is_cut = false;
    }

    /// Names the edits of a pass.
    pub(crate) fn certify(&mut self, kind: EditKind) {
        self.certificate.edit_kinds.push(kind);
    }

    /// Notes that the oracle has refused an edit.
    pub(crate) fn refuse(&mut self, outcome: Outcome) {
        self.certificate.refused += 1;
        self.certificate.unresolved += u64::from(outcome == Outcome::Unresolved);
    }
}
