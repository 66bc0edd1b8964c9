import { type KeyObject, X509Certificate, createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { MASTERS } from '../../apiserver/auth/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { Environment } from '../../base/environment.ts';
import {
  type CertificateAuthority,
  type KeyPair,
  type Subject,
  createCertificateAuthority,
  generateKeyPair,
  issueCertificate,
  loadCertificateAuthority,
  privateKeyPem,
  readIdentity,
} from '../../base/pki/index.ts';
import { readIfThere, writePrivate } from './files.ts';

const DAY = 86_400_000;
const AUTHORITY_LIFETIME_MS = 3650 * DAY;
const CERTIFICATE_LIFETIME_MS = 365 * DAY;
/** Remaining validity in milliseconds below which a certificate is renewed at a start. */
const RENEW_BEFORE_MS = 30 * DAY;
/**
 * Time in milliseconds by which certificates are backdated, so that they stay valid if a fast clock is
 * corrected later.
 */
const BACKDATE_MS = DAY;

/** Common name by which aggregated API servers identify this API server. */
export const FRONT_PROXY = 'front-proxy-client';

/** Certificate and its key, both in PEM. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

/** Certificates and keys in a data directory with which the daemons start. */
export interface Provisioned {
  /** Authority that issues the daemons' own certificates. */
  readonly ca: CertificateAuthority;
  /** Authority that signs approved certificate requests. */
  readonly signingCa: CertificateAuthority;
  readonly serving: Credential;
  readonly admin: Credential;
  readonly controllerManager: Credential;
  /** Client certificate for node agents. */
  readonly agentClient: Credential;
  /** Authority that issues only the certificate that this server presents to aggregated API servers. */
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
 * Reads the files below `folder` and creates the missing ones. Only their owner can read the keys. Keys use
 * P-256, because RSA keys would dominate the time of a first start.
 */
export async function provision(
  folder: string,
  options: {
    readonly vocabulary: Vocabulary;
    readonly hosts: readonly string[];
    readonly environment: Environment;
  },
): Promise<Provisioned> {
  const { vocabulary, hosts, environment } = options;
  await settleVocabulary(folder, vocabulary);
  const pki = (name: string): string => join(folder, 'pki', name);
  const [ca, signingCa, frontProxyCa, serviceAccountKey] = await Promise.all([
    authority(pki('ca'), `${vocabulary.product}-ca`, environment),
    authority(pki('signing-ca'), `${vocabulary.product}-signing-ca`, environment),
    authority(pki('front-proxy-ca'), 'front-proxy-ca', environment),
    signingKey(pki('sa.key')),
  ]);
  const { serving, admin, controllerManager, agentClient, frontProxy } = wantedCredentials(vocabulary, hosts);
  const make = (wanted: Wanted, by = ca): Promise<Credential> =>
    credential(pki(wanted.file), wanted, by, environment);
  return {
    ca,
    signingCa,
    serving: await make(serving),
    admin: await make(admin),
    controllerManager: await make(controllerManager),
    agentClient: await make(agentClient),
    frontProxyCa,
    frontProxy: await make(frontProxy, frontProxyCa),
    serviceAccountKey,
    paths: {
      store: join(folder, 'store'),
      adminConfig: join(folder, 'admin.conf'),
      controllerManagerConfig: join(folder, 'controller-manager.conf'),
    },
  };
}

/**
 * Records the vocabulary of a data directory. Rejects another vocabulary, because the store would contain
 * names that the server does not know.
 */
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

type Role = 'serving' | 'admin' | 'controllerManager' | 'agentClient' | 'frontProxy';

/**
 * Returns the certificates of the daemons and their clients by role.
 * @param hosts additional names of the serving certificate
 */
function wantedCredentials(
  { product, short, agent, agentClient, component, serviceNames }: Vocabulary,
  hosts: readonly string[],
): { readonly [R in Role]: Wanted } {
  const client = (file: string, commonName: string, ...organizations: readonly string[]): Wanted => ({
    file,
    subject: { commonName, organizations },
    usages: ['client auth'],
    hosts: [],
  });
  return {
    serving: {
      file: 'apiserver',
      subject: { commonName: `${short}-apiserver`, organizations: [] },
      usages: ['server auth'],
      hosts: [...new Set(['localhost', '127.0.0.1', '::1', ...serviceNames, ...hosts])],
    },
    admin: client('admin', `${product}-admin`, MASTERS),
    controllerManager: client('controller-manager', component('controller-manager')),
    agentClient: client(`apiserver-${agent}-client`, agentClient.user, agentClient.group),
    frontProxy: client(FRONT_PROXY, FRONT_PROXY),
  };
}

async function authority(
  path: string,
  commonName: string,
  { clock, random, log }: Environment,
): Promise<CertificateAuthority> {
  const [certificate, key] = await Promise.all([readIfThere(`${path}.crt`), readIfThere(`${path}.key`)]);
  if (certificate !== undefined && key !== undefined)
    return whole(`${path}.crt or ${path}.key`, () => {
      const ca = loadCertificateAuthority(certificate, key);
      if (!ca.certificate.checkPrivateKey(ca.privateKey)) throw new Error('they do not belong together');
      const { validFrom, validTo } = ca.certificate;
      if (!isValidAt(ca.certificate, clock.now()))
        log.warn(
          { certificate: `${path}.crt`, validFrom, validTo },
          'the certificate of an authority is not valid now, and nobody believes what it signs: set the clock right, or remove it and its key',
        );
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

/**
 * Returns the result of `read` for files that cannot be recreated. Throws a `CodedError` that names the
 * files.
 */
function whole<T>(files: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new CodedError('ERR_PROVISION', `${files} is damaged, restore it: ${messageOf(cause)}`, { cause });
  }
}

interface Wanted {
  /** Base name of the certificate and key in the directory. */
  readonly file: string;
  readonly subject: Subject;
  readonly usages: readonly string[];
  readonly hosts: readonly string[];
}

/**
 * Returns the credential at a path. The credential is reissued if it is not valid yet, expires soon, is
 * damaged, belongs to another CA, or lacks a host. It is also reissued if its subject differs, because an
 * earlier release may have granted it more rights.
 */
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
      isValidAt(certificate, nowMs) &&
      isValidAt(certificate, nowMs + RENEW_BEFORE_MS) &&
      certificate.verify(ca.certificate.publicKey) &&
      certificate.checkPrivateKey(createPrivateKey(credential.key)) &&
      isFor(subject, certificate) &&
      hosts.every(
        (host) => (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
      )
    );
  } catch {
    return false;
  }
}

/** True if a login with the certificate identifies exactly this user with these groups. */
function isFor({ commonName, organizations }: Subject, { raw }: X509Certificate): boolean {
  const { username, groups } = readIdentity(raw);
  return username === commonName && isDeepStrictEqual(groups, organizations);
}

const isValidAt = ({ validFrom, validTo }: X509Certificate, ms: number): boolean =>
  Date.parse(validFrom) <= ms && ms < Date.parse(validTo);

async function signingKey(path: string): Promise<KeyObject> {
  const known = await readIfThere(path);
  if (known !== undefined) return whole(path, () => createPrivateKey(known));
  const { privateKey } = generateKeyPair('ec-p256');
  await writePrivate(path, privateKeyPem(privateKey));
  return privateKey;
}
