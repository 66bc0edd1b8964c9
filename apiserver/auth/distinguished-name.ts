/** One attribute of a subject: its short name (`CN`, `O`) or dotted OID, and its value. */
export interface NameAttribute {
  readonly type: string;
  readonly value: string;
}

/**
 * Reads `X509Certificate.subject`: a relative name a line, the attributes of a multi-valued one joined by ` + `, values
 * escaped as RFC 2253 has it (`\\,`, `\\+`, `\\0A`). Keeps order and duplicates. A `+` or line end within a value is
 * always escaped there, so no value can forge an attribute.
 */
export function parseDistinguishedName(text: string): readonly NameAttribute[] {
  return text
    .split('\n')
    .flatMap((line) => splitUnescaped(line))
    .flatMap((attribute) => {
      const equals = attribute.indexOf('=');
      if (equals <= 0) return [];
      return [{ type: attribute.slice(0, equals), value: unescapeValue(attribute.slice(equals + 1)) }];
    });
}

const SEPARATOR = ' + ';

function splitUnescaped(line: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line.startsWith(SEPARATOR, at)) {
      parts.push(line.slice(start, at));
      start = at + SEPARATOR.length;
      at = start - 1;
    }
  }
  parts.push(line.slice(start));
  return parts;
}

/** `\\0A` is a byte, `\\,` the character itself. */
const unescapeValue = (value: string): string =>
  value.replace(
    /\\(?:([0-9A-Fa-f]{2})|(.))/gsu,
    (_whole, hex: string | undefined, sign: string | undefined) =>
      hex === undefined ? (sign ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  );
