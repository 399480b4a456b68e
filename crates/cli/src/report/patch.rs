//! Two directories as a patch.

use minirepro_program::archive::entries;

use super::diff::unified;
use super::terminal::name;

/// Shows the differences between two archives of files as a patch.
pub fn patch(passing: &[u8], failing: &[u8]) -> String {
    let (olds, news) = (entries(passing), entries(failing));
    let mut paths: Vec<&[u8]> = olds.iter().chain(&news).map(|entry| entry.path).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut text = String::new();
    for path in paths {
        let [old, new] = [&olds, &news].map(|all| all.iter().find(|entry| entry.path == path));
        let same = old.map(|e| (e.kind, e.text)) == new.map(|e| (e.kind, e.text));
        if same {
            continue;
        }
        let shown = name(&String::from_utf8_lossy(path));
        let path = |side, there: bool| {
            if there { format!("{side}/{shown}") } else { "/dev/null".to_owned() }
        };
        let [a, b] = [old, new].map(|entry| entry.map_or(&[][..], |entry| entry.text));
        let names = [path("a", old.is_some()), path("b", new.is_some())];
        if let (Some(old), Some(new)) = (old, new)
            && old.kind != new.kind
        {
            text += &format!("{shown}: {:?} → {:?}\n", old.kind, new.kind);
        }
        if [a, b].iter().any(|text| text.contains(&0)) {
            text += &format!("binary files {} and {} differ\n", names[0], names[1]);
        } else if a != b || old.is_none() || new.is_none() {
            text += &unified([&names[0], &names[1]], a, b);
        }
    }
    text
}
