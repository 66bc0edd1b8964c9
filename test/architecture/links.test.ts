import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countWords, paragraphs } from './prose.js';
import { root } from './sources.js';

const IGNORED = new Set(['node_modules', 'dist', '.git', '.orch', '.cluster', 'coverage']);

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return IGNORED.has(entry.name) ? [] : filesBelow(path);
    return [relative(root, path)];
  });

const files = filesBelow(root);
const pages = files.filter((file) => file.endsWith('.md'));
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const withoutCode = (page: string): string =>
  page
    .replace(/^ *```[^]*?^ *```/gm, '')
    .replace(/`[^`\n]*`/g, (quoted) => (quoted.includes(']') ? '' : quoted));

/** Returns the anchors that code hosting sites create for the headings of a page. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of page.replace(/^ *```[^]*?^ *```/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Returns the targets of links and pictures, except URLs. */
export const linksOf = (page: string): readonly string[] =>
  [...withoutCode(page).matchAll(/\]\(<?([^)\s>]+)>?\)|(?:src|srcset|href)="([^"]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? '')
    .filter((link) => !/^[a-z]+:/.test(link));

/** Returns the description of a broken link; undefined if the link resolves. */
function problemOf(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
  if (!existsSync(join(root, target))) return `${page}: ${link} does not exist`;
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  return anchorsOf(textOf(target)).has(anchor) ? undefined : `${page}: ${link} has no such heading`;
}

/** Pattern of a path to a document in code and configuration. */
const MENTION = /\bdocs\/[\w./-]*\w\.(?:md|svg|png)\b/g;
/** Pattern of a quoted path to a file of the repository. */
const SOURCE =
  /`((?:base|api|machines|apiserver|runtime|controllers|chaos|dashboard|cli|bench|test|examples)\/[^`\s]*[\w/])`/g;
const CODE = /\.(?:ts|tsx|js|json|ya?ml|sh)$/;

describe('links', () => {
  it('on every page lead to an existing file and heading', () => {
    const problems = pages.flatMap((page) => linksOf(textOf(page)).map((link) => problemOf(page, link)));
    expect(problems.length).toBeGreaterThan(100);
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('in code comments and configuration name a document that exists', () => {
    const mentions = files
      .filter((file) => CODE.test(file) && file !== 'package-lock.json')
      .flatMap((file) => [...textOf(file).matchAll(MENTION)].map(([path]) => ({ file, path })));
    expect(mentions.length).toBeGreaterThan(2);
    expect(mentions.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('in documents name source files and directories that exist', () => {
    const quoted = pages
      .filter((page) => page.startsWith('docs/') && page !== 'docs/changes.md')
      .flatMap((page) => [...textOf(page).matchAll(SOURCE)].map(([, path = '']) => ({ page, path })))
      // Words in capitals are placeholders, and two annotations look like a path.
      .filter(
        ({ path }) =>
          !/[A-Z*]|^(?:chaos\/(?:runs|ends)|apiserver\/(?:versions-grow|no-reused-uid|deletion-is-final))$/.test(
            path,
          ),
      );
    expect(quoted.length).toBeGreaterThan(100);
    expect(quoted.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('are found in text, pictures and attributes, and not in code', () => {
    const page =
      '[a](b.md#c) ![d](e.png) <img src="f.svg"> [u](https://x.y)\n\n```\n[g](h.md)\n```\n`[i](j)`\n';
    expect(linksOf(page)).toEqual(['b.md#c', 'e.png', 'f.svg']);
  });

  it('are compared with anchors in lower case, without punctuation, numbered when repeated', () => {
    const page = '# One `code`: two\n\n## [A](b.md)\n\n## A\n\n```\n# not one\n```\n';
    expect([...anchorsOf(page)]).toEqual(['one-code-two', 'a', 'a-1']);
  });
});

/** Number of words that take about five minutes to read. */
const MAX_WORDS = 1_200;

describe('the map of the documents', () => {
  it('names every page below docs', () => {
    const map = textOf('docs/README.md');
    const named = new Set(linksOf(map).map((link) => normalize(join('docs', link.split('#')[0] ?? ''))));
    const below = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
    expect(below.length).toBeGreaterThan(20);
    expect(below.filter((page) => !named.has(page))).toEqual([]);
  });

  it('leads to pages of at most 1,200 words outside tables and code', () => {
    const long = pages
      .filter((page) => /^docs\/(?:tutorials|how-to|reference|explanation)\//.test(page))
      .map((page) => ({
        page,
        words: paragraphs(textOf(page)).reduce((sum, { text }) => sum + countWords(text), 0),
      }))
      .filter(({ words }) => words > MAX_WORDS);
    expect(long).toEqual([]);
  });
});
