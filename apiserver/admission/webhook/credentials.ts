import { dirname, isAbsolute, resolve } from 'node:path';
import { messageOf } from '../../../base/errors/index.ts';
import { parseYamlFile } from '../../../base/yaml/index.ts';
import { isObject } from '../../../api/schema/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import type { RemoteCredentials } from '../../outbound/remote-review.ts';

/** File access, clock and vocabulary for credentials. */
export interface CredentialsOptions {
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  /** Returns the text of a file. Throws an error that contains the path if the file cannot be read. */
  readonly readFile: (path: string) => string;
}

/** Function that returns the credentials for a webhook at `host:port`, or undefined if there are none. */
export type CredentialsFor = (target: string) => RemoteCredentials | undefined;

/** Time in milliseconds after which a token file is read again. */
const TOKEN_FILE_MS = 60_000;
const HTTPS_PORT = ':443';

/**
 * Parses a WebhookAdmissionConfiguration and its kubeconfig file
 * (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#authenticate-apiservers).
 * Throws an error that contains the name of the invalid field or entry, never its value.
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
  // The first version of the configuration had a different kind name.
  const isFirst = kind === 'WebhookAdmission' && apiVersion === versions[1];
  if (!isFirst && (kind !== 'WebhookAdmissionConfiguration' || apiVersion !== versions[0]))
    throw new Error(`expected kind WebhookAdmissionConfiguration with apiVersion ${versions[0] ?? ''}`);
  if (typeof path !== 'string') throw new Error('kubeConfigFile: expected a path');
  if (path !== '' && !isAbsolute(path))
    throw new Error(`kubeConfigFile: Invalid value: ${JSON.stringify(path)}: must be an absolute file path`);
  return path;
}

/**
 * Finds the user for a webhook's address. The whole address takes precedence, then entries such as
 * `*.example.com` with the longest suffix, then `*`. An address with port 443 also matches entries without a
 * port.
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
  /** Path of the kubeconfig file that contains the user. */
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

/** Reads PEM data. Inline data takes precedence over a file. */
function pemOf(user: User, field: string, { readFile }: CredentialsOptions): string | undefined {
  const data = textIn(user, `${field}-data`);
  if (data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const file = textIn(user, field);
  return file === '' ? undefined : readFile(beside(user, file));
}

/**
 * Returns a function that returns the value of the `Authorization` header. A token file takes precedence over
 * an inline token.
 */
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

/** Returns the user of the current context, which applies if no entry matches. */
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
    parsed = parseYamlFile(text);
  } catch (cause) {
    throw new Error(`${path} ${messageOf(cause)}`, { cause });
  }
  if (!isObject(parsed)) throw new Error(`${path} is no kubeconfig file: expected an object`);
  return parsed;
}
