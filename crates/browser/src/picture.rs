//! Compares pictures: how many pixels of two PNG files differ.

use std::io::Cursor;

use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use png::{ColorType, Decoder, Transformations};

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

/// Decodes what a browser sends as base64.
pub(crate) fn from_base64(text: &str) -> Result<Vec<u8>> {
    BASE64_STANDARD.decode(text).context("the browser sent a picture that is not base64")
}

#[cfg(test)]
mod tests {
    use super::differing_pixels;

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
}
