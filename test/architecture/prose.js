// Plain JavaScript: `npm run check:words` runs it without a build.

/** Characters and words after which a slash opens a regular expression and not a division. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|await|yield|void))$/;

const QUOTED = { "'": /'(?:[^'\\\n]|\\[^])*'/y, '"': /"(?:[^"\\\n]|\\[^])*"/y };
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const COMMENT = /\/\*[^]*?\*\/|\/\/[^\n]*/y;

const matchAt = (pattern, text, at) => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

/** Offsets at which the interpolations of a template literal make the scanner stop and resume. */
const templateEnd = (text, from) => {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '`') return { at: at + 1, isOpen: false };
    else if (text[at] === '$' && text[at + 1] === '{') return { at: at + 2, isOpen: true };
  }
  return { at: text.length, isOpen: false };
};

/** Returns the comments of a TypeScript file in order: `{ start, end, raw }`. */
export function rawComments(text) {
  const found = [];
  const braces = []; // For each open template interpolation, the number of open braces in it.
  let before = '';
  for (let at = 0; at < text.length;) {
    const char = text[at];
    const comment = char === '/' ? matchAt(COMMENT, text, at) : undefined;
    if (comment !== undefined) {
      found.push({ start: at, end: at + comment.length, raw: comment });
      at += comment.length;
      continue;
    }
    if (char === '{' && braces.length > 0) braces[braces.length - 1]++;
    const closes = char === '}' && braces.length > 0 && braces[braces.length - 1]-- === 0;
    if (char === '`' || closes) {
      if (closes) braces.pop();
      const { at: next, isOpen } = templateEnd(text, at + 1);
      if (isOpen) braces.push(0);
      before = isOpen ? '{' : '`';
      at = next;
      continue;
    }
    const isRegex = char === '/' && BEFORE_REGEX.test(before);
    const literal = matchAt(isRegex ? REGEX : (QUOTED[char] ?? /(?!)/y), text, at);
    const token = literal ?? char;
    if (literal !== undefined) before = literal;
    else if (!/\s/.test(char))
      before = /\w/.test(char) && /\w$/.test(text[at - 1] ?? '') ? before + char : char;
    at += token.length;
  }
  return found;
}

/** The words of a comment without its markers and line breaks; paragraphs stay apart by an empty line. */
const wordsOf = (raw) =>
  raw
    .replace(/^\/\*\*?|\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\*(?!\*)|\/\/) ?/, ''))
    // Indented lines are code.
    .map((line) => (/^ {4}/.test(line) ? '' : line.trim()))
    .join('\n')
    .trim()
    .split(/\n{2,}|\n(?=[@|-])/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' '))
    .join('\n\n');

/**
 * Returns the comments of a TypeScript file: `{ start, end, isDoc, text }`.
 * Line comments on consecutive lines count as one comment.
 */
export function comments(text) {
  const grouped = [];
  for (const { start, end, raw } of rawComments(text)) {
    const last = grouped.at(-1);
    const between = last ? text.slice(last.end, start) : '';
    const startsLine = /(?:^|\n)[ \t]*$/.test(text.slice(0, last?.start ?? 0));
    const continues =
      last?.raw.startsWith('//') && raw.startsWith('//') && /^\n[ \t]*$/.test(between) && startsLine;
    if (continues) grouped[grouped.length - 1] = { start: last.start, end, raw: `${last.raw}\n${raw}` };
    else grouped.push({ start, end, raw });
  }
  return grouped.map(({ start, end, raw }) => ({
    start,
    end,
    isDoc: raw.startsWith('/**'),
    text: wordsOf(raw),
  }));
}

const TEST_CALL = /\b(?:it|test|describe)(?:\.\w+)*(?:<[^()]*?>)?\(/g;
const NAME = /\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`)/y;

/** The offset after the bracket that closes the one before `from`; strings and comments may hold brackets. */
function closingAfter(text, from) {
  const skipped = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\/[^\n]*|\/\*[^]*?\*\/|[()]/g;
  skipped.lastIndex = from;
  let depth = 1;
  for (let found = skipped.exec(text); found; found = skipped.exec(text)) {
    if (found[0] === '(') depth++;
    if (found[0] === ')' && --depth === 0) return skipped.lastIndex;
  }
  return text.length;
}

/** Returns the names of the tests and test groups of a file: `{ start, text }`; a table's name follows its rows. */
export const testNames = (text) =>
  [...text.matchAll(TEST_CALL)].flatMap((call) => {
    const open = call.index + call[0].length;
    const isTable = /\.(?:each|for|skipIf|runIf)\b/.test(call[0]);
    const after = isTable ? closingAfter(text, open) : open;
    if (isTable && text[after] !== '(') return [];
    NAME.lastIndex = isTable ? after + 1 : after;
    const match = NAME.exec(text);
    const name = match?.[1] ?? match?.[2] ?? match?.[3];
    return match && name !== undefined ? [{ start: NAME.lastIndex - 1 - name.length, text: name }] : [];
  });

/** Returns the prose paragraphs of a Markdown page: `{ start, text }`; code blocks, tables and headings are left out. */
export function paragraphs(page) {
  const bare = page.replace(/^ *```[^]*?^ *```/gm, (block) => block.replace(/[^\n]/g, ' '));
  return [...bare.matchAll(/(?:^(?![ \t]*\||#|[ \t]*$).+\n?)+/gm)].flatMap((match) => {
    let start = match.index;
    return match[0].split(/\n(?=\s*(?:[-*]|\d+\.)\s)/).map((text) => {
      const item = {
        start,
        text: text
          .replace(/^\s*(?:[-*]|\d+\.)\s/, '')
          .replace(/\s+/g, ' ')
          .trim(),
      };
      start += text.length + 1;
      return item;
    });
  });
}

/** Returns the sentences of a text; code in backquotes and links count as one word each. */
export const sentences = (text) =>
  text
    .replace(/`[^`\n]*`/g, 'Code')
    .replace(/https?:\S+?(?=[.,;:)]*(?:\s|$))/g, 'link')
    .split(/(?<=[.!?][)'"]?)\s+(?=[^a-z])|\n{2,}/)
    .filter((sentence) => /\w/.test(sentence));

/** Returns the number of words of a sentence. */
export const countWords = (sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;
