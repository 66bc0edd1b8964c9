import { END, type YamlCursor, isBlank, isBreak, isBreakOrEnd, isHex, isSpaceOrEnd } from './yaml-cursor.ts';

const ESCAPES = '0abt\tnvfre "\'\\N_LP';
const HEX_ESCAPES: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** Passes a block scalar from its `|` or `>` on; `indent` is that of the block around it. */
export function passBlockScalar(cursor: YamlCursor, indent: number): void {
  cursor.advance();
  const increment = passBlockHeader(cursor);
  const told = increment === 0 ? 0 : Math.max(indent, 0) + increment;
  const own = told === 0 ? firstIndent(cursor, indent) : told;
  if (told !== 0) passEmptyLines(cursor, own);
  while (cursor.column === own && cursor.at() !== END) {
    cursor.skipWhile((char) => !isBreakOrEnd(char));
    if (isBreak(cursor.at())) cursor.breakLine();
    passEmptyLines(cursor, own);
  }
}

/** How much deeper the text is said to stand; 0 where its first line tells. */
function passBlockHeader(cursor: YamlCursor): number {
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

/** The indentation that the first line, or the deepest empty one before it, gives a block scalar. */
function firstIndent(cursor: YamlCursor, indent: number): number {
  const deepest = passEmptyLines(cursor, Number.MAX_SAFE_INTEGER);
  return Math.max(deepest, indent + 1, 1);
}

/** Passes lines that are empty up to `indent`, and the indentation of the one after; the deepest column is answered. */
function passEmptyLines(cursor: YamlCursor, indent: number): number {
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

/** Passes a quoted scalar from its quote on. */
export function passQuotedScalar(cursor: YamlCursor): void {
  const quote = cursor.at();
  cursor.advance();
  for (;;) {
    if (cursor.isDocumentMark) cursor.complain('found unexpected document indicator');
    if (cursor.at() === END) cursor.complain('found unexpected end of stream');
    while (!isSpaceOrEnd(cursor.at())) {
      if (quote === "'" && cursor.ahead(2) === "''") cursor.advance(2);
      else if (cursor.at() === quote) return cursor.advance();
      else if (quote === '"' && cursor.at() === '\\') passEscape(cursor);
      else cursor.advance();
    }
    cursor.skipWhile(isBlank);
    if (isBreak(cursor.at())) cursor.breakLine();
  }
}

function passEscape(cursor: YamlCursor): void {
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
 * Passes a plain scalar; `indent` is that of the block around it. True when it ends with a line, so that a key may follow.
 */
export function passPlainScalar(cursor: YamlCursor, indent: number, inFlow: boolean): boolean {
  let hasBroken = false;
  while (!cursor.isDocumentMark && cursor.at() !== '#') {
    const { index } = cursor;
    while (!isSpaceOrEnd(cursor.at()) && !endsPlain(cursor, inFlow)) cursor.advance();
    if (cursor.index > index) hasBroken = false;
    if (!isBlank(cursor.at()) && !isBreak(cursor.at())) break;
    hasBroken = passSpaces(cursor, indent, hasBroken);
    if (!inFlow && cursor.column <= indent) break;
  }
  return hasBroken;
}

/** Passes blanks and line breaks; true when there was a line break, now or before. */
function passSpaces(cursor: YamlCursor, indent: number, hadBroken: boolean): boolean {
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
