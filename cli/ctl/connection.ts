import { readFile, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text as textOfStream } from 'node:stream/consumers';
import { type Vocabulary, orchVocabulary, vocabularyOf } from '../../api/vocabulary/index.ts';
import { createScheme } from '../../api/kinds/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { Environment } from '../../base/environment.ts';
import {
  createLineDecoder,
  readText,
  statusError,
  type Transport,
  type TransportResponse,
  createClient,
  createNodeTransport,
  createUndiciTransport,
} from '../../runtime/client/index.ts';
import { UsageError } from '../flags/flags.ts';
import { createServedVocabulary } from '../dashboard/served-vocabulary.ts';
import { readConfig } from './client-config.ts';
import type { ConnectionFlags } from './connection-flags.ts';
import { type DiscoveryFile, createDiscovery, createDiscoveryFile } from './discovery.ts';
import { type Resource, discover } from './resources.ts';
import type { Terminal } from './terminal.ts';

const USER_AGENT = 'orchctl';
const HEADERS_TIMEOUT_MS = 30_000;

/** Connects a terminal to the server that the flags select. `close` releases the connections. */
export async function connect(
  flags: ConnectionFlags,
  environment: Environment,
): Promise<Terminal & { readonly close: () => Promise<void> }> {
  const config = await readConfig(flags, environment);
  const transport =
    config.proxyUrl === undefined ? createNodeTransport(config) : createUndiciTransport(config);
  const file = createDiscoveryFile(cacheFolder(flags), { server: config.server, ca: config.tls.ca }, () =>
    environment.clock.now(),
  );
  const known = await file.read();
  const vocabulary =
    flags.vocabulary !== ''
      ? vocabularyOf(flags.vocabulary)
      : (known?.vocabulary ?? (await servedVocabulary(transport)));
  const terminal = terminalOver(transport, vocabulary, environment);
  return {
    ...terminal,
    discovery: createDiscovery(known?.resources, () => discovered(terminal, file)),
    namespace: config.namespace,
    close: () => transport.close(),
  };
}

function cacheFolder({ 'cache-dir': given }: ConnectionFlags): string {
  if (given !== '') return given;
  const { XDG_CACHE_HOME: cache = '' } = process.env;
  return join(cache === '' ? join(homedir(), '.cache') : cache, 'orchctl');
}

/** Returns the resources of the server, and writes them to the file if all groups could be discovered. */
async function discovered(
  terminal: Pick<Terminal, 'ask' | 'notice' | 'vocabulary'>,
  file: DiscoveryFile,
): Promise<readonly Resource[]> {
  const { resources, isWhole } = await discover(terminal);
  if (isWhole) await file.write({ vocabulary: terminal.vocabulary, resources });
  return resources;
}

/**
 * Returns the vocabulary of the server. If the user may not list the groups, returns the default vocabulary,
 * so that the requested command reports the error.
 */
const servedVocabulary = (transport: Transport): Promise<Vocabulary> =>
  createServedVocabulary(transport)().catch((thrown: unknown) => {
    if (thrown instanceof CodedError && thrown.code === 'ERR_SERVED_VOCABULARY') return orchVocabulary;
    throw thrown;
  });

/**
 * Creates a terminal over standard output, standard error and files. The transport leads to a server of this
 * vocabulary.
 */
function terminalOver(
  transport: Transport,
  vocabulary: Vocabulary,
  environment: Environment,
): Omit<Terminal, 'namespace' | 'discovery'> {
  const scheme = createScheme(vocabulary, []);
  const client = createClient({ ...environment, scheme, transport, userAgent: USER_AGENT });
  const notice = (line: string): void => void process.stderr.write(`${line}\n`);
  return {
    clock: environment.clock,
    vocabulary,
    async ask(request) {
      const { headers, body } = await client.request(request);
      for (const warning of [headers['warning'] ?? []].flat()) notice(`Warning: ${warningText(warning)}`);
      return body;
    },
    text: async (path) => readText((await opened(transport, path, '*/*', false)).body),
    follow: (path, accept, signal) => linesOf(transport, path, accept, signal),
    list: manifestsIn,
    print: (text) => void process.stdout.write(text),
    notice,
    read: (path) => (path === '-' ? textOfStream(process.stdin) : readManifest(path)),
  };
}

/** Returns the text of a `Warning` header such as `299 - "text"` (RFC 7234, section 5.5). */
const warningText = (header: string): string =>
  /^\d{3} \S+ "((?:[^"\\]|\\.)*)"/.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? header;

/** Endings of the files that are read in a folder, as in kubectl. */
const MANIFEST = /\.(json|ya?ml)$/;

async function manifestsIn(path: string, recursive: boolean): Promise<readonly string[]> {
  if (path === '-') return [path];
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path, { withFileTypes: true });
    const found = await Promise.all(
      entries
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((entry) => {
          const below = join(path, entry.name);
          if (entry.isDirectory()) return recursive ? manifestsIn(below, true) : [];
          return MANIFEST.test(entry.name) ? [below] : [];
        }),
    );
    return found.flat();
  } catch (thrown) {
    throw new UsageError(`failed to read ${path}: ${messageOf(thrown)}`);
  }
}

async function readManifest(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new UsageError(`failed to read ${path}: ${messageOf(thrown)}`);
  }
}

async function* linesOf(
  transport: Transport,
  path: string,
  accept: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const { body } = await opened(transport, path, accept, true, signal);
  const lines = createLineDecoder();
  for await (const chunk of body) yield* lines.push(chunk);
}

/** Returns a successful response. Throws `ApiError` for an error response. */
async function opened(
  transport: Transport,
  path: string,
  accept: string,
  streaming: boolean,
  signal?: AbortSignal,
): Promise<TransportResponse> {
  const response = await transport.send({
    method: 'GET',
    path,
    headers: { accept, 'user-agent': USER_AGENT },
    streaming,
    ...(signal && { signal }),
    headersTimeoutMs: HEADERS_TIMEOUT_MS,
  });
  if (response.status !== 200)
    throw statusError(parsed(await readText(response.body)), response.status, `GET ${path}`);
  return response;
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer) as unknown;
  } catch {
    return undefined;
  }
}
