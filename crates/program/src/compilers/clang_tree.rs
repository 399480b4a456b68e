//! Clang's dump of a syntax tree (`-Xclang -ast-dump`): what a text declares and never refers to.
//!
//! Clang marks declarations that something refers to, in templates that are used with those
//! arguments, too (`Decl::isReferenced`, `Decl::isUsed`).

use std::collections::HashMap;
use std::sync::LazyLock;

use minirepro_engine::Unreferenced;
use minirepro_runner::Lines;
use regex::Regex;

use crate::compilers::options::is_in;

/// What can stand around a declaration that can go by itself.
const HOLDERS: &str = "TranslationUnitDecl NamespaceDecl LinkageSpecDecl CXXRecordDecl ClassTemplateDecl \
                       ClassTemplatePartialSpecializationDecl ClassTemplateSpecializationDecl \
                       FunctionTemplateDecl";

/// What can go if nothing refers to it.
const DECLARATIONS: &str = "CXXConstructorDecl CXXConversionDecl CXXDestructorDecl CXXMethodDecl \
                            ClassTemplateDecl FunctionDecl FunctionTemplateDecl TypeAliasDecl \
                            TypedefDecl UsingDecl VarDecl";

/// All declarations of one thing.
#[derive(Default)]
struct Group {
    is_referenced: bool,
    is_used: bool,
    is_function: bool,
    places: Vec<(u32, u32)>,
}

/// Returns what nothing refers to in a text, by its dump: its line markers name its own lines.
/// Linear in the dump.
pub fn unreferenced(dump: &[u8], text: &[u8]) -> Vec<Unreferenced> {
    let lines = Lines::of(text);
    let mut reader = Reader::default();
    for line in dump.split(|&byte| byte == b'\n') {
        if let Ok(line) = std::str::from_utf8(line) {
            reader.read(line);
        }
    }
    let mut found: Vec<Unreferenced> = Vec::new();
    for group in &reader.groups {
        let is_body = group.is_referenced;
        if !group.is_used && (!is_body || group.is_function) {
            let places = group.places.iter().filter_map(|&place| lines.offset(place));
            found.extend(places.map(|at| Unreferenced { at, name: lines.token(at), is_body }));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A line of a dump: what draws the tree, the kind of a node, its address, that of an earlier
/// declaration of the same thing, the range in angle brackets, and what follows.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    let line = r"^([^[:alnum:]]*)(\w+) 0x(\w+)(?: parent 0x\w+)?(?: prev 0x(\w+))?(?: <((?:[^<>]|<[^<>]*>)*)> ?(.*))?";
    Regex::new(line).expect("a test compiles it")
});

#[derive(Default)]
struct Reader {
    /// The last line that a place named.
    line: u32,
    /// Of the nodes around the next one, whether a declaration in it can go by itself.
    are_holders: Vec<bool>,
    /// The class templates around the next node, with their depths.
    templates: Vec<(usize, usize)>,
    groups: Vec<Group>,
    of_ids: HashMap<String, usize>,
    of_places: HashMap<(u32, u32), usize>,
}

impl Reader {
    fn read(&mut self, line: &str) {
        let Some(node) = LINE.captures(line) else { return };
        let (depth, kind) = (node[1].len() / 2, &node[2]);
        self.are_holders.truncate(depth);
        self.templates.retain(|(_, of)| *of < depth);
        if kind.starts_with("ClassTemplateSpecialization")
            && let Some((template, of)) = self.templates.last()
            && of + 1 == depth
        {
            self.groups[*template].is_used = true;
        }
        let (Some(places), Some(rest)) = (node.get(5), node.get(6)) else { return };
        for place in places.as_str().split(", ") {
            self.place(place);
        }
        let (place, words) = rest.as_str().split_once(' ').unwrap_or((rest.as_str(), ""));
        if kind.ends_with("Decl")
            && let Some(place) = self.place(place)
        {
            let previous = node.get(4).and_then(|id| self.of_ids.get(id.as_str()));
            let known = previous.or_else(|| self.of_places.get(&place)).copied();
            let number = known.unwrap_or_else(|| {
                self.groups.push(Group::default());
                self.groups.len() - 1
            });
            self.of_ids.insert(node[3].to_owned(), number);
            self.of_places.insert(place, number);
            if kind == "ClassTemplateDecl" {
                self.templates.push((number, depth));
            }
            let stands_free = self.are_holders.iter().all(|&is_holder| is_holder);
            let may_go = stands_free && is_in(DECLARATIONS, kind);
            self.groups[number].declare(place, words, may_go);
        }
        self.are_holders.resize(depth, false);
        self.are_holders.push(is_in(HOLDERS, kind));
    }

    /// Reads a place, and keeps its line for the next one.
    fn place(&mut self, text: &str) -> Option<(u32, u32)> {
        if let Some(column) = text.strip_prefix("col:") {
            return Some((self.line, column.parse().ok()?));
        }
        let (before, column) = text.rsplit_once(':')?;
        let (_, line) = before.rsplit_once(':')?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        self.line = line;
        Some((line, column))
    }
}

impl Group {
    /// Takes a declaration with the name at this place, and these words after it. Those of
    /// templates with their arguments have the places of the templates.
    fn declare(&mut self, place: (u32, u32), words: &str, may_go: bool) {
        let mut is_implicit = false;
        self.is_function |= words.contains('(');
        for word in words.split(' ') {
            match word {
                "used" => self.is_used = true,
                "referenced" => self.is_referenced = true,
                "implicit" => is_implicit = true,
                "constexpr" | "invalid" => {}
                name => {
                    self.is_used |= name == "main";
                    break;
                }
            }
        }
        if may_go && !is_implicit && !self.places.contains(&place) {
            self.places.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dump of Clang 14, shortened, of this text in C++:
    ///
    /// ```text
    /// # 2 "a.cc" 3
    /// namespace n {
    /// template <class T> struct pair { T first; T second() { return first; } void swap(pair &); };
    /// template <class T> struct never { };
    /// typedef int used_type;
    /// typedef int lone_type;
    /// int over(int a) { return a; }
    /// int over(double a) { return 2; }
    /// template <class T> T twice(T a) { return a + a; }
    /// template <class T> T thrice(T a) { return a * 3; }
    /// int declared();
    /// auto measured() -> int { return 1; }
    /// int declared();
    /// }
    /// n::used_type table[sizeof(n::measured())];
    /// int main() { n::pair<int> p; return p.second() + n::over(1) + n::twice(2); }
    /// ```
    const DUMP: &str = r"
TranslationUnitDecl 0x1 <<invalid sloc>> <invalid sloc>
|-TypedefDecl 0x2 <<invalid sloc>> <invalid sloc> implicit __builtin_va_list 'char *'
|-NamespaceDecl 0x3 <a.cc:2:1, line:14:1> line:2:11 n
| |-ClassTemplateDecl 0x4 <line:3:1, col:91> col:27 pair
| | |-TemplateTypeParmDecl 0x5 <col:11, col:17> col:17 referenced class depth 0 index 0 T
| | |-CXXRecordDecl 0x6 <col:20, col:91> col:27 struct pair definition
| | | |-CXXRecordDecl 0x7 <col:20, col:27> col:27 implicit referenced struct pair
| | | |-CXXMethodDecl 0x8 <col:43, col:70> col:45 second 'T ()'
| | | `-CXXMethodDecl 0x9 <col:72, col:88> col:77 swap 'void (pair<T> &)'
| | `-ClassTemplateSpecializationDecl 0xa <col:1, col:91> col:27 struct pair definition
| |   |-CXXMethodDecl 0xb <col:43, col:70> col:45 used second 'int ()'
| |   `-CXXMethodDecl 0xc <col:72, col:88> col:77 swap 'void (n::pair<int> &)'
| |-ClassTemplateDecl 0xd <line:4:1, col:35> col:27 never
| |-TypedefDecl 0xe <line:5:1, col:13> col:13 referenced used_type 'int'
| |-TypedefDecl 0xf <line:6:1, col:13> col:13 lone_type 'int'
| |-FunctionDecl 0x10 <line:7:1, col:29> col:5 used over 'int (int)'
| | `-ParmVarDecl 0x11 <col:10, col:14> col:14 used a 'int'
| |-FunctionDecl 0x12 <line:8:1, col:32> col:5 over 'int (double)'
| |-FunctionTemplateDecl 0x13 <line:9:1, col:49> col:22 twice
| | |-FunctionDecl 0x14 <col:20, col:49> col:22 twice 'T (T)'
| | `-FunctionDecl 0x15 <col:20, col:49> col:22 used twice 'int (int)'
| |-FunctionTemplateDecl 0x16 <line:10:1, col:50> col:22 thrice
| | `-FunctionDecl 0x17 <col:20, col:50> col:22 thrice 'T (T)'
| |-FunctionDecl 0x18 <line:11:1, col:14> col:5 declared 'int ()'
| |-FunctionDecl 0x19 <line:12:1, col:36> col:6 referenced measured 'auto () -> int'
| | `-CompoundStmt 0x1a <col:24, col:36>
| |   `-DeclStmt 0x1b <col:26, col:30>
| |     `-VarDecl 0x1c <col:26, col:29> col:29 inside 'int'
| `-FunctionDecl 0x1d prev 0x18 <line:13:1, col:14> col:5 declared 'int ()'
|-VarDecl 0x1e <line:15:1, col:41> col:14 table 'n::used_type[4]'
`-FunctionDecl 0x1f <line:16:1, col:78> col:5 main 'int ()'
";

    #[test]
    fn what_is_instantiated_is_referenced() {
        // Lines of 99 blanks.
        let text = format!("{:99}\n", "").repeat(20);
        let found = unreferenced(DUMP.as_bytes(), text.as_bytes());
        let shown: Vec<(usize, usize, bool)> =
            found.iter().map(|one| (one.at / 100 + 1, one.at % 100 + 1, one.is_body)).collect();
        let expected = [
            (3, 77, false),
            (4, 27, false),
            (6, 13, false),
            (8, 5, false),
            (10, 22, false),
            (11, 5, false),
            (12, 6, true),
            (13, 5, false),
            (15, 14, false),
        ];
        assert_eq!(shown, expected);
        assert_eq!(unreferenced(b"no dump <1:2:3> at 0x12 all", text.as_bytes()), []);
    }
}
