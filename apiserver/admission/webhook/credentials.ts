import { dirname, isAbsolute, resolve } from 'node:path';
import { parse } from 'yaml';
import { isObject } from '../../../api/schema/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import type { RemoteCredentials } from '../../outbound/remote-review.ts';

export interface CredentialsOptions {
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  /** Throws one sentence that names the file. */
  readonly readFile: (path: string) => string;
}

/** What the server shows a webhook at `host:port`; undefined: nothing. */
export type CredentialsFor = (target: string) => RemoteCredentials | undefined;

/** A token file is read again so long after it was last read. */
const TOKEN_FILE_MS = 60_000;
const HTTPS_PORT = ':443';

/**
 * Reads a `WebhookAdmissionConfiguration` and the client configuration file it names (specification 1, section 6.2). Throws
 * `Error` naming the field or the entry, never a value of one.
 */
export function parseWebhookCredentials(configuration: unknown, options: CredentialsOptions): CredentialsFor {
  const path = kubeConfigFile(configuration, options.vocabulary);
  if (path === '') return () => undefined;
  const file = parseYaml(options.readFile(path), path);
  const users = new Map<string, () => RemoteCredentials>();
  for (const { name, fields } of entriesOf(file, 'users', 'user'))
    users.set(name, credentialsOf({ name, fields, path }, options));
  const fallback = currentUser(file);
  return (target) => (find(users, target) ?? (fallback === undefined ? undefined : users.get(fallback)))?.();
}

function kubeConfigFile(configuration: unknown, vocabulary: Vocabulary): string {
  if (configuration === undefined || configuration === null) return '';
  const { kind, apiVersion, kubeConfigFile: path = '' } = isObject(configuration) ? configuration : {};
  const versions = ['v1', 'v1alpha1'].map((version) => vocabulary.apiVersion('apiserver.config', version));
  // Its first version has a name of its own.
  const isFirst = kind === 'WebhookAdmission' && apiVersion === versions[1];
  if (!isFirst && (kind !== 'WebhookAdmissionConfiguration' || apiVersion !== versions[0]))
    throw new Error(`expected kind WebhookAdmissionConfiguration with apiVersion ${versions[0] ?? ''}`);
  if (typeof path !== 'string') throw new Error('kubeConfigFile: expected a path');
  if (path !== '' && !isAbsolute(path))
    throw new Error(`kubeConfigFile: Invalid value: ${JSON.stringify(path)}: must be an absolute file path`);
  return path;
}

/**
 * By the whole name, then by ever shorter ends of it behind a wildcard; a name on the port of HTTPS goes without it as well;
 * then what is meant for all.
 */
function find<T>(users: ReadonlyMap<string, T>, target: string): T | undefined {
  const withoutPort = target.endsWith(HTTPS_PORT) ? [target.slice(0, -HTTPS_PORT.length)] : [];
  for (const name of [target, ...withoutPort]) {
    const found = users.get(name) ?? byEnding(users, name);
    if (found !== undefined) return found;
  }
  return users.get('*');
}

function byEnding<T>(users: ReadonlyMap<string, T>, name: string): T | undefined {
  const steps = name.split('.');
  for (let at = 1; at < steps.length; at++) {
    const found = users.get(`*.${steps.slice(at).join('.')}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface User {
  readonly name: string;
  readonly fields: Fields;
  /** Of the file that it stands in. */
  readonly path: string;
}

type Fields = { readonly [field: string]: unknown };

function credentialsOf(user: User, options: CredentialsOptions): () => RemoteCredentials {
  const certificate = pemOf(user, 'client-certificate', options);
  const key = pemOf(user, 'client-key', options);
  if ((certificate === undefined) !== (key === undefined))
    throw new Error(
      `${user.path}: user ${JSON.stringify(user.name)}: client-certificate and client-key go together`,
    );
  const identity = certificate === undefined || key === undefined ? {} : { certificate, key };
  const authorization = authorizationOf(user, options);
  return () => {
    const value = authorization();
    return value === undefined ? identity : { ...identity, authorization: value };
  };
}

function textIn({ fields, name, path }: User, field: string): string {
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string')
    throw new Error(`${path}: user ${JSON.stringify(name)}: ${field}: expected text`);
  return value;
}

const beside = ({ path }: User, file: string): string =>
  isAbsolute(file) ? file : resolve(dirname(path), file);

/** Data in the file itself goes before a file that is named. */
function pemOf(user: User, field: string, { readFile }: CredentialsOptions): string | undefined {
  const data = textIn(user, `${field}-data`);
  if (data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const file = textIn(user, field);
  return file === '' ? undefined : readFile(beside(user, file));
}

/** The value of the `Authorization` header; a token in a file goes before one that is written out. */
function authorizationOf(user: User, { readFile, clock }: CredentialsOptions): () => string | undefined {
  const tokenFile = textIn(user, 'tokenFile');
  if (tokenFile !== '') {
    let read: { readonly token: string; readonly atMs: number } | undefined;
    return () => {
      const nowMs = clock.monotonic();
      if (read === undefined || nowMs - read.atMs >= TOKEN_FILE_MS)
        read = { token: readFile(beside(user, tokenFile)).trim(), atMs: nowMs };
      return `Bearer ${read.token}`;
    };
  }
  const token = textIn(user, 'token');
  const [username, password] = [textIn(user, 'username'), textIn(user, 'password')];
  const value =
    token !== ''
      ? `Bearer ${token}`
      : username !== '' || password !== ''
        ? `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
        : undefined;
  return () => value;
}

/** The user of the current context, who stands in where no name fits. */
function currentUser(file: Fields): string | undefined {
  const current = file['current-context'];
  const context = entriesOf(file, 'contexts', 'context').find(({ name }) => name === current);
  const user = context?.fields['user'];
  return typeof user === 'string' && user !== '' ? user : undefined;
}

function entriesOf(file: Fields, list: string, item: string): readonly Omit<User, 'path'>[] {
  const entries = file[list];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) => {
    const { name, [item]: fields } = isObject(entry) ? entry : {};
    return typeof name === 'string' && name !== '' ? [{ name, fields: isObject(fields) ? fields : {} }] : [];
  });
}

function parseYaml(text: string, path: string): Fields {
  let parsed: unknown;
  try {
    // Warnings would print lines of the file.
    parsed = parse(text, { logLevel: 'error' });
  } catch (cause) {
    // The parser's message quotes the file.
    throw new Error(`${path} is neither YAML nor JSON`, { cause });
  }
  if (!isObject(parsed)) throw new Error(`${path} is no client configuration`);
  return parsed;
}
