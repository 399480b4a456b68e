//! Pages that are tested in a browser.

#[cfg(feature = "browser")]
use std::path::PathBuf;
#[cfg(feature = "browser")]
use std::time::Duration;

use clap::Args;

#[cfg(feature = "browser")]
pub use minirepro_browser::PageArgs;

#[cfg(feature = "browser")]
use super::values::time;

/// What a build without browsers knows of pages: nothing.
#[cfg(not(feature = "browser"))]
#[derive(Clone, Debug, Args)]
#[group(id = "condition")]
pub struct PageArgs {}

/// What becomes of a page before and after it is reduced.
#[cfg(feature = "browser")]
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Pages: what is reduced")]
pub struct Preparation {
    /// Look at the page once, list what could be the failure, and ask which it is
    #[arg(long, group = "condition")]
    pub record: bool,
    /// Also write a web-platform test from the result
    #[arg(long, requires = "condition")]
    pub wpt: bool,
}

/// Look at a page in a browser: does it show the failure?
///
/// The options are those of a reduction (see `minirepro --help`); a browser starts for this one
/// look. The exit code is 0 if the failure is there, 1 if not, 125 if the page did not load in
/// time, 126 if it cannot be tested.
#[cfg(feature = "browser")]
#[derive(Debug, Args)]
pub struct Page {
    /// The page: a file, a directory, what was saved (HAR), or an address for --save
    #[arg(value_name = "PAGE", id = "place", requires = "condition")]
    pub page: PathBuf,
    /// What the failure is, and how the page is shown.
    #[command(flatten)]
    pub test: PageArgs,
    /// How long the page may take [default: 10]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub timeout: Option<Duration>,
    /// The failure is that it is not loaded then
    #[arg(long, group = "condition", requires = "timeout")]
    pub hang: bool,
    /// Write a picture of the page (a name that ends with `.png`), or what the page at an address
    /// loads (`.har`), from which it is shown again
    #[arg(long, value_name = "FILE", group = "condition")]
    pub save: Option<PathBuf>,
}
