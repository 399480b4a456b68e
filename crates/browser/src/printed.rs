//! What a browser prints: the pages of a PDF file as Chromium writes it, with their texts and
//! filled boxes. It reads that much of PDF (ISO 32000) and no more: another program's file may look
//! empty.

use std::collections::HashMap;
use std::io::Read;
use std::sync::LazyLock;

use flate2::read::ZlibDecoder;
use regex::bytes::Regex;
use serde_json::{Value, json};

/// Pixels of CSS for a point of PDF.
const PIXELS: f64 = 4.0 / 3.0;

/// Returns the pages for an expression: `[{ width, height, text, texts: [{ x, y, text }], boxes: [{
/// x, y, width, height }] }]`, in pixels from the upper left corner of each page.
pub(crate) fn pages(pdf: &[u8]) -> Value {
    let objects = objects(pdf);
    let is_root = |o: &&Object| o.is("/Pages") && reference(&o.head, "/Parent").is_none();
    let root = objects.values().find(is_root);
    let mut open: Vec<&Object> = root.into_iter().collect();
    let mut pages = Vec::new();
    let mut left = objects.len();
    while let Some(object) = open.pop().filter(|_| left > 0) {
        left -= 1;
        if object.is("/Page") {
            pages.push(Paper::read(object, &objects).value());
        }
        let kids = KIDS.captures(&object.head).map(|found| found[1].to_vec());
        let kids = kids.unwrap_or_default();
        let numbers: Vec<u32> =
            REFERENCE.captures_iter(&kids).filter_map(|found| number(&found[1])).collect();
        open.extend(numbers.iter().rev().filter_map(|kid| objects.get(kid)));
    }
    Value::Array(pages)
}

/// An object of a file.
struct Object {
    head: Vec<u8>,
    /// Its data, unpacked.
    data: Vec<u8>,
}

impl Object {
    fn is(&self, kind: &str) -> bool {
        TYPE.captures(&self.head).is_some_and(|found| &found[1] == kind.as_bytes())
    }
}

/// Returns the objects of a file by their numbers.
fn objects(pdf: &[u8]) -> HashMap<u32, Object> {
    let mut objects = HashMap::new();
    let mut at = 0;
    while let Some(found) = pdf.get(at..).and_then(|rest| OBJECT.captures(rest)) {
        let (head, end) = (found[2].to_vec(), &found[3]);
        at += found.get(0).map_or(1, |all| all.end());
        let mut data = Vec::new();
        if end.starts_with(b"stream") {
            let length = LENGTH.captures(&head).and_then(|l| number(&l[1])).unwrap_or_default();
            let length = usize::try_from(length).unwrap_or_default();
            let packed = pdf.get(at..at + length).unwrap_or_default();
            // What is not packed, or broken, is not read.
            let _length = ZlibDecoder::new(packed).read_to_end(&mut data);
            at += length;
        }
        if let Some(number) = number(&found[1]) {
            objects.insert(number, Object { head, data });
        }
    }
    objects
}

/// A page under way.
#[derive(Default)]
struct Paper {
    width: f64,
    height: f64,
    texts: Vec<(f64, f64, String)>,
    /// Left, top, width, height.
    boxes: Vec<[f64; 4]>,
}

/// A linear map and a shift: `a b c d e f`, as PDF writes it.
type Matrix = [f64; 6];

const SAME: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// Returns the map that does `first` and then `then`.
fn product(first: &Matrix, then: &Matrix) -> Matrix {
    let [a, b, c, d, e, f] = *first;
    let [ta, tb, tc, td, te, tf] = *then;
    [
        a * ta + b * tc,
        a * tb + b * td,
        c * ta + d * tc,
        c * tb + d * td,
        e * ta + f * tc + te,
        e * tb + f * td + tf,
    ]
}

impl Paper {
    fn read(object: &Object, objects: &HashMap<u32, Object>) -> Self {
        let mut paper = Self::default();
        if let Some(found) = MEDIA.captures(&object.head) {
            let sides: Vec<f64> = found[1].split(u8::is_ascii_whitespace).map(float).collect();
            if let [left, bottom, right, top] = sides[..] {
                (paper.width, paper.height) = (right - left, top - bottom);
            }
        }
        let fonts: HashMap<Vec<u8>, Font> = FONT
            .captures_iter(&object.head)
            .filter_map(|found| {
                let font = objects.get(&number(&found[2])?)?;
                let map = objects.get(&reference(&font.head, "/ToUnicode")?)?;
                Some((found[1].to_vec(), Font::read(&map.data)))
            })
            .collect();
        let content = reference(&object.head, "/Contents").and_then(|number| objects.get(&number));
        if let Some(content) = content {
            paper.draw(&content.data, &fonts);
        }
        paper
    }

    /// Follows the operators of a page.
    fn draw(&mut self, content: &[u8], fonts: &HashMap<Vec<u8>, Font>) {
        let mut all = SAME;
        let mut saved: Vec<Matrix> = Vec::new();
        let mut line = SAME;
        let mut font = None;
        let mut begins_text = false;
        let mut rectangles: Vec<[f64; 4]> = Vec::new();
        let mut operands: Vec<&[u8]> = Vec::new();
        for token in TOKEN.find_iter(content).map(|found| found.as_bytes()) {
            let is_operator = token[0].is_ascii_alphabetic() || matches!(token[0], b'\'' | b'"');
            if !is_operator {
                operands.push(token);
                continue;
            }
            let numbers: Vec<f64> = operands.iter().map(|operand| float(operand)).collect();
            match (token, &numbers[..]) {
                (b"q", _) => saved.push(all),
                (b"Q", _) => all = saved.pop().unwrap_or(SAME),
                (b"cm", &[a, b, c, d, e, f]) => all = product(&[a, b, c, d, e, f], &all),
                (b"re", &[x, y, width, height]) => rectangles.push([x, y, width, height]),
                (b"f" | b"f*" | b"F", _) => {
                    let new: Vec<[f64; 4]> =
                        rectangles.drain(..).map(|sides| self.placed(sides, &all)).collect();
                    self.boxes.extend(new);
                }
                (b"n" | b"S" | b"s", _) => rectangles.clear(),
                (b"BT", _) => (line, begins_text) = (SAME, true),
                (b"Tm", &[a, b, c, d, e, f]) => line = [a, b, c, d, e, f],
                (b"Td", &[x, y]) => line = product(&[1.0, 0.0, 0.0, 1.0, x, y], &line),
                (b"Tf", _) => font = operands.first().and_then(|name| fonts.get(&name[1..])),
                (b"Tj" | b"TJ", _) => {
                    let font: Option<&Font> = font;
                    let codes = operands.iter().filter(|operand| operand[0] == b'<');
                    let text: String = codes.filter_map(|codes| Some(font?.text(codes))).collect();
                    let [.., x, y] = product(&line, &all);
                    match self.texts.last_mut().filter(|_| !begins_text) {
                        Some((.., before)) => before.push_str(&text),
                        None => {
                            self.texts.push((x * PIXELS, (self.height - y) * PIXELS, text));
                        }
                    }
                    begins_text = false;
                }
                _ => {}
            }
            operands.clear();
        }
    }

    /// Returns a rectangle in pixels of the page.
    fn placed(&self, [x, y, width, height]: [f64; 4], all: &Matrix) -> [f64; 4] {
        let corner = |x, y| {
            let [.., x, y] = product(&[1.0, 0.0, 0.0, 1.0, x, y], all);
            (x * PIXELS, (self.height - y) * PIXELS)
        };
        let ((ax, ay), (bx, by)) = (corner(x, y), corner(x + width, y + height));
        [ax.min(bx), ay.min(by), (ax - bx).abs(), (ay - by).abs()]
    }

    fn value(&self) -> Value {
        let mut text = String::new();
        let mut before = None;
        for (_, y, part) in &self.texts {
            if before.is_some_and(|before: f64| (before - y).abs() > 1.0) {
                text.push('\n');
            }
            text.push_str(part);
            before = Some(*y);
        }
        let texts = self.texts.iter().map(|(x, y, text)| json!({ "x": x, "y": y, "text": text }));
        let boxes = self.boxes.iter().map(
            |[x, y, width, height]| json!({ "x": x, "y": y, "width": width, "height": height }),
        );
        json!({
            "width": self.width * PIXELS, "height": self.height * PIXELS, "text": text,
            "texts": texts.collect::<Vec<_>>(), "boxes": boxes.collect::<Vec<_>>(),
        })
    }
}

/// What the codes of a font mean.
struct Font {
    /// How many digits a code has.
    digits: usize,
    letters: HashMap<u32, String>,
}

impl Font {
    /// Reads a map from codes to letters (CMap).
    fn read(map: &[u8]) -> Self {
        let mut letters = HashMap::new();
        let mut digits = 4;
        for section in SECTION.captures_iter(map) {
            let codes: Vec<&[u8]> = CODE
                .captures_iter(&section[2])
                .filter_map(|c| Some(c.get(1)?.as_bytes()))
                .collect();
            match &section[1] {
                b"codespacerange" => digits = codes.first().map_or(digits, |code| code.len()),
                b"bfchar" => {
                    for pair in codes.chunks_exact(2) {
                        letters.insert(hexadecimal(pair[0]), letter(pair[1], 0));
                    }
                }
                _ => {
                    for range in codes.chunks_exact(3) {
                        let (first, last) = (hexadecimal(range[0]), hexadecimal(range[1]));
                        for code in first..=last.min(first + 0xFFFF) {
                            letters.insert(code, letter(range[2], code - first));
                        }
                    }
                }
            }
        }
        Self { digits: digits.max(1), letters }
    }

    /// Returns what a string in angle brackets says.
    fn text(&self, codes: &[u8]) -> String {
        let digits: Vec<u8> = codes.iter().copied().filter(u8::is_ascii_hexdigit).collect();
        let codes = digits.chunks(self.digits).map(hexadecimal);
        codes.filter_map(|code| self.letters.get(&code).map(String::as_str)).collect()
    }
}

/// Returns the letters that a code of UTF-16 means, shifted by an offset in the alphabet.
fn letter(code: &[u8], further: u32) -> String {
    let mut units: Vec<u16> =
        code.chunks(4).map(|unit| u16::try_from(hexadecimal(unit)).unwrap_or_default()).collect();
    if let Some(last) = units.last_mut() {
        *last = last.wrapping_add(u16::try_from(further).unwrap_or_default());
    }
    String::from_utf16_lossy(&units)
}

fn hexadecimal(digits: &[u8]) -> u32 {
    let digits = std::str::from_utf8(digits).unwrap_or_default();
    u32::from_str_radix(digits, 16).unwrap_or_default()
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn float(text: &[u8]) -> f64 {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Returns the number of the object that a key refers to.
fn reference(head: &[u8], key: &str) -> Option<u32> {
    let at = head.windows(key.len()).position(|part| part == key.as_bytes())?;
    let rest = head[at + key.len()..].trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    number(&rest[..digits])
}

/// Compiles a pattern for bytes; a dot is any of them.
fn pattern(text: &str) -> Regex {
    let pattern = format!("(?s-u){text}");
    Regex::new(&pattern).expect("the patterns of this file are in order")
}

static OBJECT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(\d+) 0 obj\b(.*?)(endobj|stream\r?\n)"));
static LENGTH: LazyLock<Regex> = LazyLock::new(|| pattern(r"/Length (\d+)"));
static TYPE: LazyLock<Regex> = LazyLock::new(|| pattern(r"/Type\s*(/\w+)"));
static KIDS: LazyLock<Regex> = LazyLock::new(|| pattern(r"/Kids\s*\[([^\]]*)\]"));
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\d+) 0 R"));
static MEDIA: LazyLock<Regex> = LazyLock::new(|| pattern(r"/MediaBox\s*\[\s*([^\]]*?)\s*\]"));
static FONT: LazyLock<Regex> = LazyLock::new(|| pattern(r"/(F\d+) (\d+) 0 R"));
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"<<|>>|<[^<>]*>|\((?:\\.|[^\\)])*\)|/[^\s/<>\[\]()]+|[^\s/<>\[\]()]+"#)
});
static SECTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"begin(codespacerange|bfchar|bfrange)(.*?)end(?:codespacerange|bfchar|bfrange)")
});
static CODE: LazyLock<Regex> = LazyLock::new(|| pattern(r"<([0-9A-Fa-f]+)>"));

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use serde_json::json;

    use super::pages;

    fn stream(number: u32, text: &str) -> Vec<u8> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(text.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let head =
            format!("{number} 0 obj\n<</Filter /FlateDecode\n/Length {}>> stream\n", packed.len());
        [head.as_bytes(), &packed, b"\nendstream\nendobj\n"].concat()
    }

    #[test]
    fn texts_and_boxes_have_their_places_on_pages() {
        let mut file = b"%PDF-1.4\n".to_vec();
        file.extend(stream(
            6,
            "q .75 0 0 -.75 0 75 cm 0 0 9 9 re W* n 8 10 20 30 re f\n\
             BT /F4 16 Tf 1 0 0 -1 8 40 Tm <00030004> Tj 7 0 Td <0007> Tj ET\n\
             BT /F4 16 Tf 1 0 0 -1 8 60 Tm <0003> Tj ET Q",
        ));
        file.extend(stream(
            7,
            "begincodespacerange <0000> <FFFF> endcodespacerange \
            1 beginbfchar <0007> <00F6> endbfchar 1 beginbfrange <0003> <0005> <0061> endbfrange",
        ));
        file.extend(
            b"5 0 obj\n<</Type /Pages\n/Count 2\n/Kids [3 0 R 2 0 R]>>\nendobj\n\
              2 0 obj\n<</Type /Page\n/MediaBox [0 0 150 75]\n/Parent 5 0 R>>\nendobj\n\
              4 0 obj\n<</Type /Font\n/ToUnicode 7 0 R>>\nendobj\n\
              3 0 obj\n<</Type /Page\n/Resources <</Font <</F4 4 0 R>>>>\n/MediaBox [0 0 150 75]\n\
              /Contents 6 0 R\n/Parent 5 0 R>>\nendobj\n",
        );
        let first = json!({
            "width": 200.0, "height": 100.0, "text": "ab\u{f6}\na",
            "texts": [{ "x": 8.0, "y": 40.0, "text": "ab\u{f6}" }, { "x": 8.0, "y": 60.0, "text": "a" }],
            "boxes": [{ "x": 8.0, "y": 10.0, "width": 20.0, "height": 30.0 }],
        });
        let second =
            json!({ "width": 200.0, "height": 100.0, "text": "", "texts": [], "boxes": [] });
        assert_eq!(pages(&file), json!([first, second]));
        assert_eq!(pages(b"no file"), json!([]));
    }
}
