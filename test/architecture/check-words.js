import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './sources.js';
import { comments, countWords, paragraphs, sentences, testNames } from './prose.js';

const rules = JSON.parse(readFileSync(join(import.meta.dirname, 'words.json'), 'utf8'));
const compiled = (list) => list.map(({ pattern, use }) => ({ pattern: new RegExp(pattern, 'i'), use }));
const openings = compiled(rules.openings);
const terms = compiled(rules.terms);

/** An exception for one line; the reason is part of it. */
const EXCEPTION = /words-ok: \S/;

/** Returns each complaint about one piece of prose, without its place. */
export function complaints(text, { isDoc = false, isLimited = isDoc } = {}) {
  if (EXCEPTION.test(text)) return [];
  const prose = text.replace(/`[^`\n]*`/g, '`code`');
  const found = [];
  const check = (list, kind) => {
    for (const { pattern, use } of list) {
      const match = pattern.exec(prose);
      if (match) found.push(`${kind} '${match[0]}': use ${use}`);
    }
  };
  check(openings, 'opening');
  check(terms, 'term');
  const long = isLimited
    ? sentences(text)
        .map(countWords)
        .filter((count) => count > rules.maxWords)
    : [];
  return [...found, ...long.map((count) => `a sentence of ${count} words: at most ${rules.maxWords}`)];
}

const lineAt = (text, offset) => text.slice(0, offset).split('\n').length;

function complaintsOfSource(text) {
  const prose = [
    ...comments(text).map(({ start, text, isDoc }) => ({ start, text, isDoc })),
    ...testNames(text).map(({ start, text }) => ({ start, text, isDoc: false })),
  ];
  return prose.flatMap(({ start, text: words, isDoc }) =>
    complaints(words, { isDoc }).map((complaint) => ({ line: lineAt(text, start), complaint })),
  );
}

const complaintsOfPage = (text) =>
  paragraphs(text).flatMap(({ start, text: words }) =>
    complaints(words, { isLimited: true }).map((complaint) => ({ line: lineAt(text, start), complaint })),
  );

const EXPORT_FROM = /^export (?:type )?(?:\{([^}]*)\}|\*(?: as \w+)?) from '(\.[^']+)';/gm;
const DECLARATION =
  /((?:\/\*\*(?:(?!\*\/)[^])*\*\/\s*)?)^export (?:declare |abstract |async )*(?:const|function\*?|class|interface|type|enum) (\w+)/gm;

/** Returns the exported names of a file that have no doc comment; re-exports are followed, `names` selects some. */
export function undocumented(file, names) {
  const text = readFileSync(file, 'utf8');
  const isWanted = (name) => names === undefined || names.has(name);
  const own = [...text.matchAll(DECLARATION)]
    // The first declaration decides: of an overload, or of a type with a value of the same name.
    .filter(([, , name], at, all) => all.findIndex((each) => each[2] === name) === at)
    .filter(([, doc, name]) => doc === '' && isWanted(name))
    .map(([, , name]) => `${relative(root, file)}: ${name} is exported without a doc comment`);
  const others = [...text.matchAll(EXPORT_FROM)].flatMap(([, list, path]) => {
    const listed = list
      ?.split(',')
      .map((each) =>
        each
          .trim()
          .replace(/^type /, '')
          .split(' as '),
      )
      .filter(([name, alias]) => name !== '' && isWanted(alias ?? name))
      .map(([name]) => name);
    const target = join(dirname(file), path);
    if (listed?.length === 0 || !existsSync(target)) return [];
    return undocumented(target, listed ? new Set(listed) : names);
  });
  return [...own, ...others];
}

function complaintsOfFile(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const found = file.endsWith('.md') ? complaintsOfPage(text) : complaintsOfSource(text);
  const places = found.map(({ line, complaint }) => `${file}:${line} ${complaint}`);
  return /(^|\/)index\.ts$/.test(file) ? [...places, ...undocumented(join(root, file))] : places;
}

const filesOf = (folder) =>
  /\.\w+$/.test(folder)
    ? [folder]
    : readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(ts|tsx|md)$/.test(name))
        .map((name) => join(folder, name));

/** Returns one line for each place in the listed folders that breaks a rule. */
export const brokenRules = (folders = rules.folders) => folders.flatMap(filesOf).flatMap(complaintsOfFile);

if (process.argv[1] === import.meta.filename) {
  const named = process.argv.slice(2);
  const problems = brokenRules(named.length > 0 ? named : rules.folders);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
