//! What a browser prints: the pages of a PDF file, with their texts and filled boxes.

use std::collections::HashMap;

use hayro_cmap::{BfString, CMap};
use hayro_syntax::Pdf;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::dict::Dict;
use hayro_syntax::object::{Name, Number, Object, Stream};
use hayro_syntax::page::Page;
use serde_json::{Value, json};

/// Pixels of CSS for a point of PDF.
const PIXELS: f64 = 4.0 / 3.0;

/// Returns the pages for an expression: `[{ width, height, text, texts: [{ x, y, text }], boxes: [{
/// x, y, width, height }] }]`, in pixels from the upper left corner of each page.
pub(crate) fn pages(pdf: &[u8]) -> Value {
    let Ok(file) = Pdf::new(pdf.to_vec()) else { return json!([]) };
    file.pages().iter().map(|page| Paper::read(page).value()).collect()
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

/// Returns the map that shifts by some numbers of a file.
fn shift(x: Number, y: Number) -> Matrix {
    [1.0, 0.0, 0.0, 1.0, x.as_f64(), y.as_f64()]
}

impl Paper {
    /// Follows the operators of a page.
    fn read(page: &Page<'_>) -> Self {
        use TypedInstruction as Op;
        let sides = page.media_box();
        let (width, height) = ((sides.x1 - sides.x0) * PIXELS, (sides.y1 - sides.y0) * PIXELS);
        let mut paper = Self { width, height, ..Self::default() };
        let mut all = page.initial_transform(true).as_coeffs();
        let mut saved: Vec<Matrix> = Vec::new();
        let mut line = SAME;
        let mut fonts: HashMap<Vec<u8>, Option<Font>> = HashMap::new();
        let mut font: Option<Vec<u8>> = None;
        let mut begins_text = false;
        let mut rectangles: Vec<[Number; 4]> = Vec::new();
        let mut operators = page.typed_operations();
        while let Some(operator) = operators.next() {
            let mut codes: Vec<Vec<u8>> = Vec::new();
            match operator {
                Op::SaveState(_) => saved.push(all),
                Op::RestoreState(_) => all = saved.pop().unwrap_or(SAME),
                Op::Transform(m) => {
                    all = product(&[m.0, m.1, m.2, m.3, m.4, m.5].map(|n| n.as_f64()), &all);
                }
                Op::RectPath(r) => rectangles.push([r.0, r.1, r.2, r.3]),
                Op::FillPathNonZero(_)
                | Op::FillPathEvenOdd(_)
                | Op::FillPathNonZeroCompatibility(_) => {
                    paper.boxes.extend(rectangles.drain(..).map(|sides| placed(sides, &all)));
                }
                Op::EndPath(_) | Op::StrokePath(_) | Op::CloseAndStrokePath(_) => {
                    rectangles.clear();
                }
                Op::BeginText(_) => (line, begins_text) = (SAME, true),
                Op::SetTextMatrix(m) => {
                    line = [m.0, m.1, m.2, m.3, m.4, m.5].map(|n| n.as_f64());
                }
                Op::NextLine(by) => line = product(&shift(by.0, by.1), &line),
                Op::TextFont(named) => {
                    let name: &Name<'_> = named.0;
                    let read = || page.resources().get_font(name).and_then(|f| Font::read(&f));
                    fonts.entry(name.to_vec()).or_insert_with(read);
                    font = Some(name.to_vec());
                }
                Op::ShowText(shown) => codes.push(shown.0.as_bytes().to_vec()),
                Op::ShowTexts(shown) => {
                    codes.extend(shown.0.iter::<Object<'_>>().filter_map(|part| match part {
                        Object::String(codes) => Some(codes.as_bytes().to_vec()),
                        _ => None,
                    }));
                }
                _ => {}
            }
            if codes.is_empty() {
                continue;
            }
            let font = font.as_ref().and_then(|name| fonts.get(name)?.as_ref());
            let text: String = codes.iter().filter_map(|codes| Some(font?.text(codes))).collect();
            match paper.texts.last_mut().filter(|_| !begins_text) {
                Some((.., before)) => before.push_str(&text),
                None => {
                    let [.., x, y] = product(&line, &all);
                    paper.texts.push((x * PIXELS, y * PIXELS, text));
                }
            }
            begins_text = false;
        }
        paper
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
            "width": self.width, "height": self.height, "text": text,
            "texts": texts.collect::<Vec<_>>(), "boxes": boxes.collect::<Vec<_>>(),
        })
    }
}

/// Returns a rectangle in pixels of the page.
fn placed([x, y, width, height]: [Number; 4], all: &Matrix) -> [f64; 4] {
    let start = product(&shift(x, y), all);
    let end = product(&shift(width, height), &start);
    let [ax, ay, bx, by] = [start[4], start[5], end[4], end[5]].map(|side| side * PIXELS);
    [ax.min(bx), ay.min(by), (ax - bx).abs(), (ay - by).abs()]
}

/// What the codes of a font mean.
struct Font {
    /// The number of bytes of a code.
    bytes: usize,
    letters: CMap,
}

impl Font {
    fn read(font: &Dict<'_>) -> Option<Self> {
        let is_composite = font.get::<Name<'_>>(b"Subtype").is_some_and(|kind| *kind == *b"Type0");
        let map = font.get::<Stream<'_>>(b"ToUnicode")?.decoded().ok()?;
        let letters = CMap::parse(&map, |_| None)?;
        Some(Self { bytes: if is_composite { 2 } else { 1 }, letters })
    }

    /// Returns what some codes say.
    fn text(&self, codes: &[u8]) -> String {
        let number = |code: &[u8]| code.iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
        let letters = codes.chunks(self.bytes).map(number);
        let letters = letters.filter_map(|code| match self.letters.lookup_bf_string(code)? {
            BfString::Char(letter) => Some(letter.to_string()),
            BfString::String(letters) => Some(letters),
        });
        letters.collect()
    }
}

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
            b"1 0 obj\n<</Type /Catalog\n/Pages 5 0 R>>\nendobj\n\
              5 0 obj\n<</Type /Pages\n/Count 2\n/Kids [3 0 R 2 0 R]>>\nendobj\n\
              2 0 obj\n<</Type /Page\n/MediaBox [0 0 150 75]\n/Parent 5 0 R>>\nendobj\n\
              4 0 obj\n<</Type /Font\n/Subtype /Type0\n/ToUnicode 7 0 R>>\nendobj\n\
              3 0 obj\n<</Type /Page\n/Resources <</Font <</F4 4 0 R>>>>\n/MediaBox [0 0 150 75]\n\
              /Contents 6 0 R\n/Parent 5 0 R>>\nendobj\ntrailer\n<</Root 1 0 R>>\n",
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
