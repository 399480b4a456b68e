//! Compares pictures: how many pixels of two PNG files differ.

use std::io::Cursor;

use anyhow::{Context, Result};
use png::{ColorType, Decoder, Transformations};

use crate::layout::Sides;

/// Returns how many pixels of two pictures differ; all of the larger one, if their sizes do.
pub(crate) fn differing_pixels(one: &[u8], other: &[u8]) -> Result<usize> {
    let (one, other) = (decode(one)?, decode(other)?);
    if one.size != other.size {
        return Ok(one.pixels.len().max(other.pixels.len()));
    }
    Ok(one.pixels.iter().zip(&other.pixels).filter(|(a, b)| a != b).count())
}

struct Picture {
    size: (u32, u32),
    pixels: Vec<[u8; 4]>,
}

fn decode(png: &[u8]) -> Result<Picture> {
    let mut decoder = Decoder::new(Cursor::new(png));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().context("not a PNG picture")?;
    let mut bytes = vec![0; reader.output_buffer_size().context("a picture that is too large")?];
    let info = reader.next_frame(&mut bytes).context("a broken PNG picture")?;
    bytes.truncate(info.buffer_size());
    let pixel = |p: &[u8]| match info.color_type {
        ColorType::Grayscale => [p[0], p[0], p[0], u8::MAX],
        ColorType::GrayscaleAlpha => [p[0], p[0], p[0], p[1]],
        ColorType::Rgba => [p[0], p[1], p[2], p[3]],
        ColorType::Rgb | ColorType::Indexed => [p[0], p[1], p[2], u8::MAX],
    };
    let pixels = bytes.chunks_exact(info.color_type.samples()).map(pixel).collect();
    Ok(Picture { size: (info.width, info.height), pixels })
}

/// Draws boxes into a picture, in which a pixel of the page has `scale` pixels.
pub(crate) fn with_boxes(png: &[u8], boxes: &[(Sides, [u8; 3])], scale: f64) -> Result<Vec<u8>> {
    let mut picture = decode(png)?;
    for (sides, color) in boxes {
        picture.draw(*sides, *color, scale);
    }
    picture.encode()
}

impl Picture {
    /// Draws a frame of two pixels; what is outside of the picture is left out.
    fn draw(&mut self, [x, y, width, height]: Sides, color: [u8; 3], scale: f64) {
        #[expect(clippy::cast_possible_truncation, reason = "a pixel")]
        let [left, top, right, bottom] =
            [x, y, x + width, y + height].map(|side| (side * scale).round() as i64);
        for at in 0..2 {
            for x in left..=right {
                self.set(x, top + at, color);
                self.set(x, bottom - at, color);
            }
            for y in top..=bottom {
                self.set(left + at, y, color);
                self.set(right - at, y, color);
            }
        }
    }

    fn set(&mut self, x: i64, y: i64, [r, g, b]: [u8; 3]) {
        let (width, height) = (i64::from(self.size.0), i64::from(self.size.1));
        if (0..width).contains(&x)
            && (0..height).contains(&y)
            && let Ok(at) = usize::try_from(y * width + x)
            && let Some(pixel) = self.pixels.get_mut(at)
        {
            *pixel = [r, g, b, u8::MAX];
        }
    }

    fn encode(&self) -> Result<Vec<u8>> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.size.0, self.size.1);
        encoder.set_color(ColorType::Rgba);
        encoder.write_header()?.write_image_data(self.pixels.as_flattened())?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, differing_pixels, with_boxes};

    fn png(width: u32, pixels: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, 1);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(pixels).unwrap();
        file
    }

    #[test]
    fn pixels_that_differ_are_counted() {
        let picture = png(3, &[0, 9, 9]);
        assert_eq!(differing_pixels(&picture, &picture).unwrap(), 0);
        assert_eq!(differing_pixels(&picture, &png(3, &[0, 1, 2])).unwrap(), 2);
        assert_eq!(differing_pixels(&picture, &png(4, &[0, 9, 9, 9])).unwrap(), 4);
        assert!(differing_pixels(&picture, b"GIF").is_err());
    }

    #[test]
    fn boxes_are_drawn_where_there_is_a_picture() {
        let drawn =
            with_boxes(&png(5, &[0; 5]), &[([1.0, 0.0, 2.0, 9.0], [7, 8, 9])], 1.0).unwrap();
        let pixels = decode(&drawn).unwrap().pixels;
        let drawn: Vec<bool> = pixels.iter().map(|pixel| pixel == &[7, 8, 9, 255]).collect();
        assert_eq!(drawn, [false, true, true, true, false]);
    }
}
