import { type KeyObject, X509Certificate, createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Vocabulary } from '../api/vocabulary/vocabulary.ts';
import { CodedError, messageOf } from '../base/errors/coded.ts';
import type { Environment } from '../base/environment.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
  loadCertificateAuthority,
} from '../base/pki/certificates.ts';
import { type KeyPair, generateKeyPair, privateKeyPem } from '../base/pki/keys.ts';
import type { Subject } from '../base/pki/subject.ts';
import { readIfThere, writePrivate } from './files.ts';

const DAY = 86_400_000;
const AUTHORITY_LIFETIME_MS = 3650 * DAY;
const CERTIFICATE_LIFETIME_MS = 365 * DAY;
/** Certificates are made anew at a start once less of their life than this is left. */
const RENEW_BEFORE_MS = 30 * DAY;
const BACKDATE_MS = 300_000;

/** The common name that other API servers know this one by. */
export const FRONT_PROXY = 'front-proxy-client';

/** A certificate with its key, PEM. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

/** The files of a data folder that the daemons start from. */
export interface Provisioned {
  /** Signs what the daemons show each other. */
  readonly ca: CertificateAuthority;
  /** Signs approved certificate requests. */
  readonly signingCa: CertificateAuthority;
  readonly serving: Credential;
  readonly admin: Credential;
  readonly controllerManager: Credential;
  /** Shown to the agents of nodes. */
  readonly agentClient: Credential;
  /** Signs what the server shows other API servers that it hands requests on to, and nothing else. */
  readonly frontProxyCa: CertificateAuthority;
  readonly frontProxy: Credential;
  readonly serviceAccountKey: KeyObject;
  readonly paths: {
    readonly store: string;
    readonly adminConfig: string;
    readonly controllerManagerConfig: string;
  };
}

/**
 * Makes what is missing below `folder`, each key on P-256 (an RSA key would be most of a first start's time) and readable
 * by its owner alone, and reads the rest.
 */
export async function provision(
  folder: string,
  options: {
    readonly vocabulary: Vocabulary;
    readonly hosts: readonly string[];
    readonly environment: Environment;
  },
): Promise<Provisioned> {
  const { vocabulary, environment } = options;
  await settleVocabulary(folder, vocabulary);
  const pki = (name: string): string => join(folder, 'pki', name);
  const [ca, signingCa, frontProxyCa, serviceAccountKey] = await Promise.all([
    authority(pki('ca'), `${vocabulary.product}-ca`, environment),
    authority(pki('signing-ca'), `${vocabulary.product}-signing-ca`, environment),
    authority(pki('front-proxy-ca'), 'front-proxy-ca', environment),
    signingKey(pki('sa.key')),
  ]);
  const names = [...new Set(['localhost', '127.0.0.1', '::1', ...vocabulary.serviceNames, ...options.hosts])];
  const make = (path: string, subject: Subject, usages: readonly string[], hosts: readonly string[] = []) =>
    credential(path, { subject, usages, hosts }, ca, environment);
  return {
    ca,
    signingCa,
    serving: await make(
      pki('apiserver'),
      { commonName: `${vocabulary.short}-apiserver`, organizations: [] },
      ['server auth'],
      names,
    ),
    admin: await make(
      pki('admin'),
      { commonName: `${vocabulary.product}-admin`, organizations: ['system:masters'] },
      ['client auth'],
    ),
    controllerManager: await make(
      pki('controller-manager'),
      { commonName: vocabulary.component('controller-manager'), organizations: [] },
      ['client auth'],
    ),
    agentClient: await make(
      pki(`apiserver-${vocabulary.agent}-client`),
      {
        commonName: `${vocabulary.short}-apiserver-${vocabulary.agent}-client`,
        organizations: ['system:masters'],
      },
      ['client auth'],
    ),
    frontProxyCa,
    frontProxy: await credential(
      pki('front-proxy-client'),
      { subject: { commonName: FRONT_PROXY, organizations: [] }, usages: ['client auth'], hosts: [] },
      frontProxyCa,
      environment,
    ),
    serviceAccountKey,
    paths: {
      store: join(folder, 'store'),
      adminConfig: join(folder, 'admin.conf'),
      controllerManagerConfig: join(folder, 'controller-manager.conf'),
    },
  };
}

/** A store holds the names of one vocabulary: under the other its objects would be strangers'. */
async function settleVocabulary(folder: string, { product }: Vocabulary): Promise<void> {
  const path = join(folder, 'vocabulary');
  const known = (await readIfThere(path))?.trim();
  if (known === undefined) await writePrivate(path, `${product}\n`);
  else if (known !== product)
    throw new CodedError(
      'ERR_PROVISION',
      `${folder} was made with --vocabulary ${known}; start with that one, or with another --data-dir for ${product}`,
    );
}

/** Writes the client configurations; done at each start, for the port may be another one. */
export async function writeClientConfigs(
  provisioned: Provisioned,
  serverUrl: string,
  vocabulary: Vocabulary,
): Promise<void> {
  const { ca, admin, controllerManager, paths } = provisioned;
  const config = (user: string, credentials: Credential): string =>
    clientConfig({
      cluster: vocabulary.product,
      user,
      server: serverUrl,
      ca: ca.certificatePem,
      credentials,
    });
  await writePrivate(paths.adminConfig, config(`${vocabulary.product}-admin`, admin));
  await writePrivate(
    paths.controllerManagerConfig,
    config(vocabulary.component('controller-manager'), controllerManager),
  );
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The text of a client configuration file with one context. `credentials`: a certificate, a bearer token, or none. */
export function clientConfig(options: {
  readonly cluster: string;
  readonly user: string;
  readonly server: string;
  /** PEM; none for the roots of the machine. */
  readonly ca: string | undefined;
  readonly credentials: Credential | { readonly token: string } | undefined;
}): string {
  const { cluster, user, server, ca, credentials } = options;
  const context = `${user}@${cluster}`;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: cluster,
        cluster: { ...(ca !== undefined && { 'certificate-authority-data': base64(ca) }), server },
      },
    ],
    contexts: [{ name: context, context: { cluster, user } }],
    'current-context': context,
    preferences: {},
    users: [{ name: user, user: credentials === undefined ? {} : userFields(credentials) }],
  });
}

const userFields = (credentials: Credential | { readonly token: string }): Record<string, string> =>
  'token' in credentials
    ? { token: credentials.token }
    : {
        'client-certificate-data': base64(credentials.certificate),
        'client-key-data': base64(credentials.key),
      };

async function authority(
  path: string,
  commonName: string,
  { clock, random }: Environment,
): Promise<CertificateAuthority> {
  const [certificate, key] = await Promise.all([readIfThere(`${path}.crt`), readIfThere(`${path}.key`)]);
  if (certificate !== undefined && key !== undefined)
    return whole(`${path}.crt or ${path}.key`, () => {
      const ca = loadCertificateAuthority(certificate, key);
      if (!ca.certificate.checkPrivateKey(ca.privateKey)) throw new Error('they do not belong together');
      return ca;
    });
  if (certificate !== undefined || key !== undefined)
    throw new CodedError(
      'ERR_PROVISION',
      `only one of ${path}.crt and ${path}.key exists; restore the other or remove both`,
    );
  const now = clock.now();
  const validity = { notBeforeMs: now - BACKDATE_MS, notAfterMs: now + AUTHORITY_LIFETIME_MS };
  const created = createCertificateAuthority(
    { commonName, organizations: [] },
    generateKeyPair('ec-p256'),
    validity,
    random,
  );
  await writePrivate(`${path}.key`, privateKeyPem(created.privateKey));
  await writePrivate(`${path}.crt`, created.certificatePem);
  return created;
}

/** What `read` makes of files that cannot be made anew. Throws one sentence that names them. */
function whole<T>(files: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new CodedError('ERR_PROVISION', `${files} is damaged, restore it: ${messageOf(cause)}`, { cause });
  }
}

interface Wanted {
  readonly subject: Subject;
  readonly usages: readonly string[];
  readonly hosts: readonly string[];
}

/** The credential at a path; made anew when it runs out soon, is another CA's, lacks a host, or is damaged. */
async function credential(
  path: string,
  wanted: Wanted,
  ca: CertificateAuthority,
  { clock, random }: Environment,
): Promise<Credential> {
  const [certificate, key] = await Promise.all([readIfThere(`${path}.crt`), readIfThere(`${path}.key`)]);
  const now = clock.now();
  if (certificate !== undefined && key !== undefined && isStillGood({ certificate, key }, wanted, ca, now))
    return { certificate, key };
  const keys: KeyPair = generateKeyPair('ec-p256');
  const made: Credential = {
    key: privateKeyPem(keys.privateKey),
    certificate: issueCertificate(
      {
        subject: wanted.subject,
        publicKey: keys.publicKey,
        usages: ['digital signature', ...wanted.usages],
        notBeforeMs: now - BACKDATE_MS,
        notAfterMs: now + CERTIFICATE_LIFETIME_MS,
        names: {
          dnsNames: wanted.hosts.filter((host) => isIP(host) === 0),
          ipAddresses: wanted.hosts.filter((host) => isIP(host) !== 0),
          emailAddresses: [],
          uris: [],
        },
      },
      ca,
      random,
    ),
  };
  await writePrivate(`${path}.key`, made.key);
  await writePrivate(`${path}.crt`, made.certificate);
  return made;
}

function isStillGood(
  credential: Credential,
  { hosts, subject }: Wanted,
  ca: CertificateAuthority,
  nowMs: number,
): boolean {
  try {
    const certificate = new X509Certificate(credential.certificate);
    return (
      Date.parse(certificate.validTo) - nowMs > RENEW_BEFORE_MS &&
      certificate.verify(ca.certificate.publicKey) &&
      certificate.checkPrivateKey(createPrivateKey(credential.key)) &&
      certificate.subject.split('\n').includes(`CN=${subject.commonName}`) &&
      hosts.every(
        (host) => (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
      )
    );
  } catch {
    return false;
  }
}

async function signingKey(path: string): Promise<KeyObject> {
  const known = await readIfThere(path);
  if (known !== undefined) return whole(path, () => createPrivateKey(known));
  const { privateKey } = generateKeyPair('ec-p256');
  await writePrivate(path, privateKeyPem(privateKey));
  return privateKey;
}
