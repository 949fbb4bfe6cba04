/* What a picture says of itself: which of its parts stand for which choice. It stands in the file, as PNG's `tEXt`. */

const KEYWORD = "targets";
const latin = new TextDecoder("latin1");
const known = new Map(); // address -> what its file says

/** The text under our keyword in a PNG file; null where there is none. */
function textIn(bytes) {
  const view = new DataView(bytes);
  // each chunk: length, kind, data, checksum; the first begins behind the signature
  for (let at = 8; at + 12 <= bytes.byteLength; ) {
    const length = view.getUint32(at);
    const kind = latin.decode(new Uint8Array(bytes, at + 4, 4));
    if (kind === "tEXt") {
      const [keyword, text] = latin.decode(new Uint8Array(bytes, at + 8, length)).split("\0");
      if (keyword === KEYWORD) return text;
    }
    at += length + 12;
  }
  return null;
}

async function read(url) {
  try {
    const text = textIn(await (await fetch(url)).arrayBuffer());
    return text && JSON.parse(text);
  } catch {
    return null; // a picture that cannot be read is just a picture
  }
}

/** `{tiles: [corners], places: [corners], targets: [[value, tile, place, turned]]}` of a picture, or null. */
export function targetsOf(url) {
  if (!known.has(url)) {
    known.set(url, read(url));
    if (known.size > 20) known.delete(known.keys().next().value);
  }
  return known.get(url);
}
