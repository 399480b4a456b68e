//! How large a picture is, as the first bytes of its file say: PNG, GIF, JPEG, BMP and WebP.

/// Returns the width and the height in pixels; `None` if the file has another form.
pub(crate) fn size(file: &[u8]) -> Option<(u32, u32)> {
    match file {
        [0x89, b'P', b'N', b'G', ..] => Some((big(file, 16, 4)?, big(file, 20, 4)?)),
        [b'G', b'I', b'F', ..] => Some((little(file, 6, 2)?, little(file, 8, 2)?)),
        [b'B', b'M', ..] => Some((little(file, 18, 4)?, little(file, 22, 4)?)),
        [0xFF, 0xD8, ..] => jpeg(file),
        [b'R', b'I', b'F', b'F', ..] => webp(file),
        _ => None,
    }
}

/// Goes over the segments of a JPEG file to the one that begins a frame.
fn jpeg(file: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let marker = *file.get(at + 1)?;
        let begins_frame = matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC);
        if begins_frame {
            return Some((big(file, at + 7, 2)?, big(file, at + 5, 2)?));
        }
        at += 2 + usize::try_from(big(file, at + 2, 2)?).ok()?;
    }
}

fn webp(file: &[u8]) -> Option<(u32, u32)> {
    match file.get(12..16)? {
        b"VP8X" => Some((little(file, 24, 3)? + 1, little(file, 27, 3)? + 1)),
        b"VP8 " => Some((little(file, 26, 2)? & 0x3FFF, little(file, 28, 2)? & 0x3FFF)),
        b"VP8L" => {
            let bits = little(file, 21, 4)?;
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        _ => None,
    }
}

/// Returns the number at a place, the largest digit first.
fn big(file: &[u8], at: usize, length: usize) -> Option<u32> {
    let digits = file.get(at..at + length)?;
    Some(digits.iter().fold(0, |number, &digit| number << 8 | u32::from(digit)))
}

/// Returns the number at a place, the smallest digit first.
fn little(file: &[u8], at: usize, length: usize) -> Option<u32> {
    let digits = file.get(at..at + length)?;
    Some(digits.iter().rev().fold(0, |number, &digit| number << 8 | u32::from(digit)))
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_stand_at_the_beginning_of_files() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\x01\0";
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x04ab\xFF\xC2\0\x0B\x08\0\x02\0\x03";
        let webp = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x02\0\0\x01\0\0";
        assert_eq!(size(png), Some((3, 256)));
        assert_eq!(size(b"GIF89a\x03\0\x02\0"), Some((3, 2)));
        assert_eq!(size(jpeg), Some((3, 2)));
        assert_eq!(size(webp), Some((3, 2)));
        for broken in [&b"GIF"[..], b"", b"\xFF\xD8\xFF", b"<svg>", &png[..20]] {
            assert_eq!(size(broken), None);
        }
    }
}
