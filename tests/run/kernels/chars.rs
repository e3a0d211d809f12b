//! char and bool methods, strings as constants.

pub fn ascii(i: usize, c: &[char], out: &mut [u32]) {
    let c = c[i];
    out[i] = c.is_ascii() as u32
        | (c.is_ascii_digit() as u32) << 1
        | (c.is_ascii_alphabetic() as u32) << 2
        | (c.is_ascii_uppercase() as u32) << 3
        | (c.is_ascii_punctuation() as u32) << 4
        | (c.is_ascii_whitespace() as u32) << 5
        | (c.is_ascii_hexdigit() as u32) << 6
        | (c.is_ascii_control() as u32) << 7
        | (c.len_utf8() as u32) << 8
        | (c.len_utf16() as u32) << 12
        | (c.to_ascii_uppercase() as u32) << 16;
}

pub fn digits(i: usize, c: &[char], x: &[u8], out: &mut [u32]) {
    out[i] = c[i].to_digit(16).unwrap_or(100)
        ^ (char::from_digit(x[i] as u32 & 15, 16).unwrap() as u32) << 8
        ^ char::from_digit(x[i] as u32 & 15, 10).map_or(3, |c| c as u32) << 16;
}

pub fn from_u32(i: usize, x: &[u32], out: &mut [char]) {
    out[i] = char::from_u32(x[i]).unwrap_or('\u{fffd}');
}

pub fn compare(i: usize, c: &[char], out: &mut [bool]) {
    out[i] = c[i] < 'a' || matches!(c[i], 'é'..='😀') && c[i] != '€';
}

pub fn ranges(i: usize, c: &[char], out: &mut [u8]) {
    out[i] = match c[i] {
        '0'..='9' => c[i] as u8 - b'0',
        'a'..='f' | 'A'..='F' => 10 + (c[i] as u8 | 32) - b'a',
        '\0' | '\n' => 250,
        '\u{10ffff}' => 251,
        x if x.is_ascii() => 252,
        _ => 255,
    };
}

pub fn bools(i: usize, a: &[bool], b: &[bool], out: &mut [bool]) {
    let (p, q) = (a[i], b[i]);
    out[i] = (p & q) ^ (p | !q) ^ (p && !q) ^ (p > q) ^ (p.cmp(&q) as i8 == 1) ^ p.then_some(q).unwrap_or(true);
}

pub fn bool_then(i: usize, a: &[bool], x: &[u32], out: &mut [u32]) {
    out[i] = a[i].then(|| x[i].wrapping_mul(3)).unwrap_or_default() ^ u32::from(a[0]) << 31;
}

pub fn byte_strings(i: usize, x: &[u8], out: &mut [u8]) {
    let s = b"hello\x00\xff";
    out[i] = s[x[i] as usize % s.len()] ^ "z\u{e9}".as_bytes()[x[i] as usize % 3];
}

pub fn ascii_bytes(i: usize, x: &[u8], out: &mut [u32]) {
    let c = x[i];
    out[i] = c.to_ascii_lowercase() as u32 | (c.is_ascii_alphanumeric() as u32) << 8
        | (c.eq_ignore_ascii_case(&b'a') as u32) << 9 | (c.is_ascii_graphic() as u32) << 10
        | ((c as char).is_ascii_lowercase() as u32) << 11;
}

pub fn encode(i: usize, c: &[char], out: &mut [[u8; 4]]) {
    let mut buffer = [0u8; 4];
    c[i].encode_utf8(&mut buffer);
    out[i] = buffer;
}

pub fn string_choice(i: usize, x: &[u32], out: &mut [u32]) {
    let s = match x[i] % 3 { 0 => "", 1 => "one", _ => "zweiundvierzig" };
    out[i] = s.len() as u32 * 100 + s.is_empty() as u32 + s.as_bytes().first().map_or(0, |b| *b as u32);
}
