import { END, type YamlCursor, isBlank, isBreak, isBreakOrEnd, isHex, isSpaceOrEnd } from './cursor.ts';

const ESCAPES = '0abt\tnvfre "\'\\N_LP';
const HEX_ESCAPES: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** Skips a block scalar, starting at its `|` or `>`. `indent` is the indentation of the enclosing block. */
export function skipBlockScalar(cursor: YamlCursor, indent: number): void {
  cursor.advance();
  const increment = skipBlockHeader(cursor);
  const declared = increment === 0 ? 0 : Math.max(indent, 0) + increment;
  const own = declared === 0 ? firstIndent(cursor, indent) : declared;
  if (declared !== 0) skipEmptyLines(cursor, own);
  while (cursor.column === own && cursor.at() !== END) {
    cursor.skipWhile((char) => !isBreakOrEnd(char));
    if (isBreak(cursor.at())) cursor.breakLine();
    skipEmptyLines(cursor, own);
  }
}

/**
 * Skips the header of a block scalar. Returns the declared indentation; 0 if the first line determines it.
 */
function skipBlockHeader(cursor: YamlCursor): number {
  let increment = 0;
  for (let count = 0; count < 2; count += 1) {
    const char = cursor.at();
    if (char === '0') cursor.complain('found an indentation indicator equal to 0');
    if (!/^[-+1-9]$/.test(char)) break;
    if (char !== '-' && char !== '+') increment = Number(char);
    cursor.advance();
  }
  cursor.skipWhile(isBlank);
  if (cursor.at() === '#') cursor.skipWhile((char) => !isBreakOrEnd(char));
  if (!isBreakOrEnd(cursor.at())) cursor.complain('did not find expected comment or line break');
  if (isBreak(cursor.at())) cursor.breakLine();
  return increment;
}

/**
 * Returns the indentation of a block scalar: the larger of the indentations of its first line and of the
 * empty lines before it.
 */
function firstIndent(cursor: YamlCursor, indent: number): number {
  const deepest = skipEmptyLines(cursor, Number.MAX_SAFE_INTEGER);
  return Math.max(deepest, indent + 1, 1);
}

/**
 * Skips empty lines and then the indentation of the next line, up to the column `indent`. Returns the deepest
 * column.
 */
function skipEmptyLines(cursor: YamlCursor, indent: number): number {
  let deepest = 0;
  for (;;) {
    while (cursor.column < indent && cursor.at() === ' ') cursor.advance();
    deepest = Math.max(deepest, cursor.column);
    if (cursor.column < indent && cursor.at() === '\t')
      cursor.complain('found a tab character where an indentation space is expected');
    if (!isBreak(cursor.at())) return deepest;
    cursor.breakLine();
  }
}

/** Skips a quoted scalar, starting at its opening quote. */
export function skipQuotedScalar(cursor: YamlCursor): void {
  const quote = cursor.at();
  cursor.advance();
  for (;;) {
    if (cursor.isDocumentMark) cursor.complain('found unexpected document indicator');
    if (cursor.at() === END) cursor.complain('found unexpected end of stream');
    while (!isSpaceOrEnd(cursor.at())) {
      if (quote === "'" && cursor.ahead(2) === "''") cursor.advance(2);
      else if (cursor.at() === quote) return cursor.advance();
      else if (quote === '"' && cursor.at() === '\\') skipEscape(cursor);
      else cursor.advance();
    }
    cursor.skipWhile(isBlank);
    if (isBreak(cursor.at())) cursor.breakLine();
  }
}

function skipEscape(cursor: YamlCursor): void {
  const char = cursor.at(1);
  if (isBreak(char)) {
    cursor.advance();
    return cursor.breakLine();
  }
  const digits = HEX_ESCAPES.get(char) ?? 0;
  if (digits === 0 && (char === END || !ESCAPES.includes(char)))
    cursor.complain('found unknown escape character');
  cursor.advance(2);
  const code = cursor.ahead(digits);
  if (code.length < digits || ![...code].every(isHex))
    cursor.complain('did not find expected hexdecimal number');
  const value = Number.parseInt(code, 16);
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff)
    cursor.complain('found invalid Unicode character escape code');
  cursor.advance(digits);
}

/**
 * Skips a plain scalar. `indent` is the indentation of the enclosing block. Returns true if the scalar ends
 * at a line break, so that a key may follow.
 */
export function skipPlainScalar(cursor: YamlCursor, indent: number, inFlow: boolean): boolean {
  let hasBroken = false;
  while (!cursor.isDocumentMark && cursor.at() !== '#') {
    const { index } = cursor;
    while (!isSpaceOrEnd(cursor.at()) && !endsPlain(cursor, inFlow)) cursor.advance();
    if (cursor.index > index) hasBroken = false;
    if (!isBlank(cursor.at()) && !isBreak(cursor.at())) break;
    hasBroken = skipSpaces(cursor, indent, hasBroken);
    if (!inFlow && cursor.column <= indent) break;
  }
  return hasBroken;
}

/** Skips blanks and line breaks. Returns true if a line break was skipped or `hadBroken` is true. */
function skipSpaces(cursor: YamlCursor, indent: number, hadBroken: boolean): boolean {
  let hasBroken = hadBroken;
  while (isBlank(cursor.at()) || isBreak(cursor.at())) {
    if (isBreak(cursor.at())) {
      cursor.breakLine();
      hasBroken = true;
      continue;
    }
    if (hasBroken && cursor.column <= indent && cursor.at() === '\t')
      cursor.complain('found a tab character that violates indentation');
    cursor.advance();
  }
  return hasBroken;
}

function endsPlain(cursor: YamlCursor, inFlow: boolean): boolean {
  const char = cursor.at();
  return (char === ':' && isSpaceOrEnd(cursor.at(1))) || (inFlow && ',?[]{}'.includes(char));
}
