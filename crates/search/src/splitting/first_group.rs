//! The size of the first group that a pass over a list tries.

/// How many circumstances to try in the first question, before anything is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum First {
    /// All at once: one test more, and the only one where nothing is needed.
    #[default]
    All,
    /// All at once, then halves until something needed is met: for many circumstances of which, for
    /// all we know, any may do (characters, bytes).
    Halves,
    /// The first half.
    Half,
    /// One, for lists where little is expected to go (late rounds).
    One,
}

impl First {
    pub(crate) fn size(self, circumstances: usize) -> usize {
        match self {
            Self::All | Self::Halves => circumstances,
            Self::Half => circumstances.div_ceil(2),
            Self::One => circumstances.min(1),
        }
    }
}
