import { readFile } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { text as textOfStream } from 'node:stream/consumers';
import { type Vocabulary, orchVocabulary, vocabularies, vocabularyOf } from '../../api/vocabulary/index.ts';
import { createScheme } from '../../api/kinds/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { Environment } from '../../base/environment.ts';
import {
  type ClientConfig,
  bearer,
  createLineDecoder,
  readText,
  staticCredentials,
  statusError,
  type Transport,
  createClient,
  createUndiciTransport,
  loadKubeconfig,
} from '../../runtime/client/index.ts';
import { readIfThere, readRequired } from '../files/files.ts';
import { type FlagValues, UsageError, list, text } from '../flags/flags.ts';
import { createServedVocabulary } from '../dashboard/served-vocabulary.ts';
import { vocabularyOverrideFlag } from '../flags/vocabulary-flag.ts';
import { type ConfigFile, mergeConfigs } from './merge-configs.ts';
import type { Terminal } from './terminal.ts';

/**
 * Path of the administrator's client configuration of a server that was started in this directory with
 * default flags.
 */
const OWN_CONFIG = '.orch/admin.conf';
const USER_AGENT = 'orchctl';
const HEADERS_TIMEOUT_MS = 30_000;

/** Flags of every command, which select the server and the user. */
export const connectionFlags = {
  kubeconfig: text(
    '',
    `client configuration; default what ${vocabularies.map(({ configVariable }) => `$${configVariable}`).join(' or ')} names, else ${OWN_CONFIG}`,
  ),
  context: text('', 'context of the client configuration; default its current one'),
  token: text('', 'bearer token instead of the credential in the client configuration'),
  as: text('', 'user to act as'),
  'as-group': list([], 'groups to act as; may be repeated'),
  'as-uid': text('', 'uid to act as'),
  vocabulary: vocabularyOverrideFlag,
};

type Flags = FlagValues<typeof connectionFlags>;

/**
 * Reads the client configuration. It is named by flags, by environment variables, or in the working
 * directory; the first of these that exists wins.
 */
export async function configFile(flags: Pick<Flags, 'kubeconfig'>): Promise<ConfigFile> {
  if (flags.kubeconfig !== '') return { path: flags.kubeconfig, text: await readRequired(flags.kubeconfig) };
  for (const { configVariable } of vocabularies) {
    const named = process.env[configVariable];
    if (named !== undefined && named !== '') return configOfList(configVariable, named);
  }
  const own = await readIfThere(OWN_CONFIG);
  if (own !== undefined) return { path: OWN_CONFIG, text: own };
  throw new UsageError(`--kubeconfig must name a client configuration: there is no ${OWN_CONFIG} here`);
}

/** Reads the files in the path list of an environment variable. Files of the list may be missing. */
async function configOfList(variable: string, named: string): Promise<ConfigFile> {
  const paths = named.split(delimiter).filter((path) => path !== '');
  const texts = await Promise.all(paths.map(readIfThere));
  const [first, ...others] = paths.flatMap((path, index) => {
    const text = texts[index];
    return text === undefined ? [] : [{ path, text }];
  });
  if (first !== undefined) return mergeConfigs([first, ...others]);
  throw new UsageError(
    paths.length === 1
      ? `${paths[0]} does not exist`
      : `none of the files that $${variable} names exists: ${named}`,
  );
}

async function readConfig(flags: Flags, { clock }: Environment): Promise<ClientConfig> {
  const { path, text: content } = await configFile(flags);
  const config = await loadKubeconfig(content, {
    path,
    readFile: readRequired,
    ...(flags.context !== '' && { context: flags.context }),
    ...(flags.vocabulary !== '' && { vocabulary: vocabularyOf(flags.vocabulary) }),
    clock,
    environment: process.env,
  });
  if (flags.as === '' && (flags['as-group'].length > 0 || flags['as-uid'] !== ''))
    throw new UsageError('--as-group and --as-uid need --as');
  return {
    ...config,
    ...(flags.token !== '' && { credentials: staticCredentials({ authorization: bearer(flags.token) }) }),
    ...(flags.as !== '' && {
      impersonate: {
        user: flags.as,
        groups: flags['as-group'],
        ...(flags['as-uid'] !== '' && { uid: flags['as-uid'] }),
      },
    }),
  };
}

/** Connects a terminal to the server that the flags select. `close` releases the connections. */
export async function connect(
  flags: Flags,
  environment: Environment,
): Promise<Terminal & { readonly close: () => Promise<void> }> {
  const config = await readConfig(flags, environment);
  const transport = createUndiciTransport(config);
  const vocabulary =
    flags.vocabulary === '' ? await servedVocabulary(transport) : vocabularyOf(flags.vocabulary);
  return {
    ...terminalOver(transport, vocabulary, environment),
    namespace: config.namespace,
    close: () => transport.close(),
  };
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
): Omit<Terminal, 'namespace'> {
  const scheme = createScheme(vocabulary, []);
  const client = createClient({ ...environment, scheme, transport, userAgent: USER_AGENT });
  const notice = (line: string): void => void process.stderr.write(`${line}\n`);
  return {
    vocabulary,
    async ask(request) {
      const { headers, body } = await client.request(request);
      for (const warning of [headers['warning'] ?? []].flat()) notice(`Warning: ${warningText(warning)}`);
      return body;
    },
    follow: (path, accept) => linesOf(transport, path, accept),
    print: (text) => void process.stdout.write(text),
    notice,
    read: (path) => (path === '-' ? textOfStream(process.stdin) : readManifest(path)),
  };
}

/** Returns the text of a `Warning` header such as `299 - "text"` (RFC 7234, section 5.5). */
const warningText = (header: string): string =>
  /^\d{3} \S+ "((?:[^"\\]|\\.)*)"/.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? header;

async function readManifest(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new UsageError(`failed to read ${path}: ${messageOf(thrown)}`);
  }
}

async function* linesOf(transport: Transport, path: string, accept: string): AsyncGenerator<string> {
  const { status, body } = await transport.send({
    method: 'GET',
    path,
    headers: { accept, 'user-agent': USER_AGENT },
    streaming: true,
    headersTimeoutMs: HEADERS_TIMEOUT_MS,
  });
  if (status !== 200) throw statusError(parsed(await readText(body)), status, `GET ${path}`);
  const lines = createLineDecoder();
  for await (const chunk of body) yield* lines.push(chunk);
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer) as unknown;
  } catch {
    return undefined;
  }
}
