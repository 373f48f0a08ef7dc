// Encoder and decoder of MessagePack, as much of it as the floor protocol uses: nil, true and false, whole
// numbers, text, bytes, lists and maps. There are no floating-point numbers and no extension types.

const DEEPEST = 64; // lists in lists: a value nested deeper is refused before it costs a stack

/** The value's bytes, each in its shortest form. Throws TypeError for what the protocol does not have. */
export function encode(value) {
  const parts = [];
  put(value, parts);
  return Buffer.concat(parts);
}

function put(value, parts) {
  if (value === null || value === undefined) return parts.push(Buffer.of(0xc0));
  if (typeof value === "boolean") return parts.push(Buffer.of(value ? 0xc3 : 0xc2));
  if (typeof value === "number") return parts.push(number(value));
  if (typeof value === "string") {
    const text = Buffer.from(value);
    return parts.push(head(text.length, [0xa0, 31], 0xd9, 0xda, 0xdb), text);
  }
  if (value instanceof Uint8Array) return parts.push(head(value.length, null, 0xc4, 0xc5, 0xc6), value);
  if (Array.isArray(value)) {
    parts.push(head(value.length, [0x90, 15], null, 0xdc, 0xdd));
    return value.forEach((item) => put(item, parts));
  }
  if (typeof value !== "object") throw new TypeError(`${typeof value} cannot be sent`);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  parts.push(head(entries.length, [0x80, 15], null, 0xde, 0xdf));
  return entries.forEach(([key, item]) => (put(key, parts), put(item, parts)));
}

function number(value) {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`${value} is not a number of the protocol`);
  if (value < 0x80) return Buffer.of(value);
  if (value < 2 ** 32) return head(value, null, 0xcc, 0xcd, 0xce);
  const bytes = Buffer.alloc(9, 0xcf);
  bytes.writeBigUInt64BE(BigInt(value), 1);
  return bytes;
}

/** A code and a size: in the code itself up to a limit, else in one, two or four bytes behind it. */
function head(size, small, one, two, four) {
  if (small && size <= small[1]) return Buffer.of(small[0] | size);
  if (one && size < 0x100) return Buffer.of(one, size);
  const bytes = size < 0x10000 ? Buffer.alloc(3, two) : Buffer.alloc(5, four);
  if (size < 0x10000) bytes.writeUInt16BE(size, 1);
  else bytes.writeUInt32BE(size, 1);
  return bytes;
}

/** The one value of these bytes. Throws RangeError where they end too soon or hold more, TypeError for other types. */
export function decode(bytes) {
  const reader = { bytes: Buffer.from(bytes), at: 0 };
  const value = take(reader, 0);
  if (reader.at !== reader.bytes.length) throw new RangeError("more bytes than one value");
  return value;
}

function take(reader, depth) {
  if (depth > DEEPEST) throw new RangeError("lists in lists too deep");
  const code = sized(reader, 1);
  if (code < 0x80) return code;
  if (code < 0x90) return map(reader, code & 0x0f, depth);
  if (code < 0xa0) return list(reader, code & 0x0f, depth);
  if (code < 0xc0) return chunk(reader, code & 0x1f).toString("utf8");
  switch (code) {
    case 0xc0: return null;
    case 0xc2: return false;
    case 0xc3: return true;
    case 0xc4: case 0xc5: case 0xc6: return chunk(reader, sized(reader, 1 << (code - 0xc4)));
    case 0xcc: case 0xcd: case 0xce: return sized(reader, 1 << (code - 0xcc));
    case 0xcf: return long(reader);
    case 0xd9: case 0xda: case 0xdb: return chunk(reader, sized(reader, 1 << (code - 0xd9))).toString("utf8");
    case 0xdc: case 0xdd: return list(reader, sized(reader, 2 << (code - 0xdc)), depth);
    case 0xde: case 0xdf: return map(reader, sized(reader, 2 << (code - 0xde)), depth);
    default: throw new TypeError(`code ${code.toString(16)} is not of the protocol`);
  }
}

function chunk(reader, size) {
  const end = reader.at + size;
  if (end > reader.bytes.length) throw new RangeError("the bytes end too soon");
  const found = reader.bytes.subarray(reader.at, end);
  reader.at = end;
  return found;
}

function sized(reader, size) {
  return chunk(reader, size).readUIntBE(0, size);
}

function long(reader) {
  const value = Number(chunk(reader, 8).readBigUInt64BE(0));
  if (!Number.isSafeInteger(value)) throw new TypeError("a number above 2^53 - 1");
  return value;
}

function list(reader, size, depth) {
  const found = [];
  for (let index = 0; index < size; index++) found.push(take(reader, depth + 1));
  return found;
}

function map(reader, size, depth) {
  const found = Object.create(null); // a key such as __proto__ is a key like any other
  for (let index = 0; index < size; index++) {
    const key = take(reader, depth + 1);
    if (typeof key !== "string") throw new TypeError("a key that is no text");
    found[key] = take(reader, depth + 1);
  }
  return found;
}
