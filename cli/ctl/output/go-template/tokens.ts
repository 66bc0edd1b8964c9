import { TemplateError } from './tree.ts';

/** Text between actions, or the tokens of one action. */
export type Piece = { readonly text: string } | { readonly tokens: readonly string[]; readonly line: number };

/** An action such as `{{- if .x -}}`. A quoted string may contain braces. */
const ACTION = /\{\{(- )?((?:[^"'`}]|"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\]|\\.)*'|\}(?!\}))*?)( -)?\}\}/y;
const COMMENT = /\{\{(-\s+)?\/\*[^]*?\*\/(\s+-)?\}\}/y;
const TOKEN =
  /\s*("(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\]|\\.)+'|:=|\)?(?:\.[\p{L}_][\p{L}\p{Nd}_]*)+|[=|(),]|\$[\p{L}\p{Nd}_]*(?:\.[\p{L}\p{Nd}_]+)*|[+-]?(?:0[xX][\da-fA-F]+|\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|\.|[\p{L}_][\p{L}\p{Nd}_]*)/uy;

/** Splits a template into text and actions. Throws `TemplateError` with the line. */
export function piecesOf(source: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trims = false;
  const takeText = (to: number, trimsEnd: boolean): void => {
    let text = source.slice(at, to);
    if (trims) text = text.trimStart();
    if (trimsEnd) text = text.trimEnd();
    if (text !== '') pieces.push({ text });
  };
  for (;;) {
    const open = source.indexOf('{{', at);
    if (open < 0) {
      takeText(source.length, false);
      return pieces;
    }
    const line = source.slice(0, open).split('\n').length;
    const comment = matchAt(COMMENT, source, open);
    const action = comment ?? matchAt(ACTION, source, open);
    if (action === undefined) throw new TemplateError(`template: output:${line}: unclosed action`);
    takeText(open, action[1] !== undefined);
    trims = action[comment === undefined ? 3 : 2] !== undefined;
    at = open + action[0].length;
    if (comment === undefined) pieces.push({ tokens: tokensOf(action[2] ?? '', line), line });
  }
}

function tokensOf(inside: string, line: number): readonly string[] {
  const tokens: string[] = [];
  const text = inside.trim();
  for (let at = 0; at < text.length;) {
    const found = matchAt(TOKEN, text, at);
    if (found === undefined)
      throw new TemplateError(
        `template: output:${line}: unexpected ${JSON.stringify(text.slice(at).trim())} in action`,
      );
    tokens.push(found[1] ?? '');
    at += found[0].length;
  }
  return tokens;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
