//! Files that hold a text in another form: binary or compressed. The text is reduced, and every
//! candidate is written back in the form of the file.

#[cfg(feature = "archives")]
mod archive;
#[cfg(feature = "archives")]
mod base64;
mod compressed;
#[cfg(feature = "wat")]
mod module;
pub(crate) mod parser;

pub(crate) use compressed::{Compressed, FILES};
#[cfg(feature = "wat")]
pub(crate) use module::{WASM, WAT};

/// The forms of archives: the names of their languages, and what they are.
pub(crate) const ARCHIVES: &[(&str, &str, &dyn Codec)] = &[
    #[cfg(feature = "archives")]
    ("zip", "ZIP (docx, xlsx, jar, epub, …): each member by its own language", &archive::Zip),
    #[cfg(feature = "archives")]
    ("tar", "tar: each member by its own language", &archive::Tar),
    #[cfg(feature = "archives")]
    (
        BASE64,
        "text with parts in Base64 (mail, MHT): each part by its own language",
        &base64::Base64,
    ),
];

/// The name of the one that is no archive: any text may be of this form.
pub(crate) const BASE64: &str = "base64";

/// A file with a larger text is not read in this form: it might be a bomb.
pub(crate) const LARGEST: usize = 1 << 26;

/// A form of files.
pub(crate) trait Codec: Send + Sync {
    /// Returns whether the files are in another form than the text.
    fn is_binary(&self) -> bool {
        true
    }

    /// Returns the text that a file holds; `None` if the file is not of this form.
    fn decode(&self, file: &[u8]) -> Option<Vec<u8>>;

    /// Returns the file that holds a text; `None` if no file can.
    fn encode(&self, text: &[u8]) -> Option<Vec<u8>>;

    /// Returns one if readers of such files do not accept the one that holds this text.
    fn faults(&self, _text: &[u8]) -> u32 {
        0
    }
}

/// Returns a form of archives by the name of its language, if this build has it.
pub(crate) fn archive_named(name: &str) -> Option<&'static dyn Codec> {
    ARCHIVES.iter().find(|(known, ..)| *known == name).map(|&(.., codec)| codec)
}
