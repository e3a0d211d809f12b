"""Rust's character and string literals, as MIR prints them."""


def char_code(text: str) -> int:
    if len(text) == 1:
        return ord(text)
    body = unescape(text)
    return ord(body) if len(body) == 1 else 0xFFFD


def unescape(text: str) -> str:
    """The characters of a Rust string literal's inside."""
    out: list[str] = []
    i = 0
    simple = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", '"': '"', "'": "'"}
    while i < len(text):
        c = text[i]
        if c != "\\":
            out.append(c)
            i += 1
            continue
        nxt = text[i + 1]
        if nxt in simple:
            out.append(simple[nxt])
            i += 2
        elif nxt == "x":
            out.append(chr(int(text[i + 2 : i + 4], 16)))
            i += 4
        elif nxt == "u":
            end = text.index("}", i)
            out.append(chr(int(text[i + 3 : end], 16)))
            i = end + 1
        else:
            out.append(nxt)
            i += 2
    return "".join(out)


def str_bytes(text: str) -> bytes:
    return unescape(text).encode("utf-8", "surrogatepass")
