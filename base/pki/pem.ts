import { CodedError } from '../errors/coded.ts';

/** One PEM block. */
export interface PemBlock {
  /** Type of the block, such as `CERTIFICATE`. */
  readonly label: string;
  /** True if the body is preceded by headers (RFC 1421). */
  readonly hasHeaders: boolean;
  readonly der: Buffer;
}

const BLOCK = /-----BEGIN ([^\r\n-]+)-----[ \t]*\r?\n([\s\S]*?)-----END ([^\r\n-]+)-----/g;

const END = /-----END [^\r\n-]+-----/g;

/**
 * Returns the text up to the end of its last block. The pattern would otherwise scan to the end of the text
 * for each incomplete block.
 */
function ended(text: string): string {
  let end = 0;
  for (const { 0: line, index } of text.matchAll(END)) end = index + line.length;
  return text.slice(0, end);
}

/** Returns all PEM blocks in order. Other text is ignored (RFC 7468 section 5.2). */
export function parsePem(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (const [, label = '', body = '', end] of ended(text).matchAll(BLOCK)) {
    if (label !== end) continue;
    const lines = body.split(/\r?\n/);
    const hasHeaders = lines.some((line) => line.includes(':'));
    const base64 = lines
      .filter((line) => !line.includes(':'))
      .join('')
      .replace(/\s/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) continue;
    blocks.push({ label, hasHeaders, der: Buffer.from(base64, 'base64') });
  }
  return blocks;
}

/** Encodes DER as a PEM block. */
export function toPem(label: string, der: Uint8Array): string {
  const base64 = Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/**
 * Returns the content of the first block with `label`. Throws `ERR_PEM` with the found labels if there is
 * none.
 */
export function onePem(text: string, label: string): Buffer {
  const blocks = parsePem(text);
  const found = blocks.find((block) => block.label === label);
  if (!found) {
    const others = blocks.map((block) => block.label).join(', ') || 'no PEM block';
    throw new CodedError('ERR_PEM', `expected a PEM block of type ${label}, found ${others}`);
  }
  return found.der;
}
