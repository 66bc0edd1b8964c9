import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { messageOf } from '../../base/errors/index.ts';
import {
  type HttpHandler,
  type HttpResponse,
  firstHeader,
  readTarget,
  textResponse,
} from '../../base/http/index.ts';
import type { PageSettings } from '../model/page-settings.ts';
import { builtPath } from './built.ts';

/** Path of the page. */
export const PAGE_PATH = '/dashboard';
const SETTINGS_PATH = `${PAGE_PATH}/settings.json`;

type Promised<T> = T | Promise<T>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Response headers that allow only the page's own scripts, styles, pictures and connections, and forbid
 * framing and form targets.
 */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /**
   * True if the file's name contains a digest of its content, so that browsers may cache the file without
   * limit.
   */
  readonly immutable: boolean;
  /** Compressed content. It is computed on first use. */
  packed?: Promise<Buffer>;
}

/**
 * Creates a handler for the built page below `/dashboard`. Files are read on the first request. `settings` is
 * called for each request of the settings. If it rejects, the response is a 503 with its message, and the
 * page retries.
 */
export function createPageFiles(settings: () => Promised<PageSettings>): HttpHandler {
  let files: ReadonlyMap<string, PageFile> | undefined;
  return async ({ method, url, headers }) => {
    if (method !== 'GET' && method !== 'HEAD')
      return plain(405, `method ${method} not allowed: expected GET or HEAD\n`);
    const { path } = readTarget(url);
    if (path === PAGE_PATH) return { status: 308, headers: { location: `${PAGE_PATH}/` }, body: Buffer.of() };
    if (path === SETTINGS_PATH) return settingsResponse(settings, method === 'HEAD');
    files ??= readPage();
    if (files.size === 0) return plain(404, 'the dashboard is not built: run npm run build\n');
    const file = files.get(path.slice(PAGE_PATH.length + 1) || 'index.html');
    if (file === undefined) return plain(404, 'no such file\n');
    const packed = firstHeader(headers, 'accept-encoding')?.includes('gzip') === true;
    return fileResponse(file, packed, method === 'HEAD');
  };
}

const pack = promisify(gzip);

async function fileResponse(file: PageFile, packed: boolean, headOnly: boolean): Promise<HttpResponse> {
  const body = packed ? await (file.packed ??= pack(file.bytes)) : file.bytes;
  return {
    status: 200,
    headers: {
      ...HEADERS,
      'content-type': file.type,
      'content-length': String(body.length),
      vary: 'accept-encoding',
      ...(packed ? { 'content-encoding': 'gzip' } : {}),
      'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
    body: headOnly ? Buffer.of() : body,
  };
}

async function settingsResponse(
  settings: () => Promised<PageSettings>,
  headOnly: boolean,
): Promise<HttpResponse> {
  const headers = { ...HEADERS, 'content-type': 'application/json', 'cache-control': 'no-cache' };
  try {
    const text = JSON.stringify(await settings());
    return { status: 200, headers, body: Buffer.from(headOnly ? '' : text) };
  } catch (thrown) {
    return plain(503, `${messageOf(thrown)}\n`);
  }
}

const plain = (status: number, text: string): HttpResponse => textResponse(status, text, HEADERS);

/** Returns the built files by their paths below the page. The map is empty if the page was not built. */
function readPage(): ReadonlyMap<string, PageFile> {
  const folder = builtPath('page');
  if (folder === undefined) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => extname(name) in TYPES,
  );
  const files = names.map((name): [string, PageFile] => [
    name,
    {
      type: TYPES[extname(name)] ?? '',
      bytes: readFileSync(join(folder, name)),
      immutable: name.startsWith('assets/'),
    },
  ]);
  return new Map(files);
}
