import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Live } from '../../base/lifetime/index.ts';
import {
  type CertificateAuthority,
  issueCertificateAside,
  loadCertificateAuthority,
} from '../../base/pki/index.ts';
import type { Signer } from '../../controllers/index.ts';
import { type FlagValues, UsageError, duration, filePair, text } from '../flags/flags.ts';
import { type LiveFiles, readKeyPair } from '../files/live-files.ts';
import type { Credential } from '../files/provision.ts';

/** Signers of certificate requests, with their names in flags. */
const SIGNERS = {
  apiserverClient: 'apiserver-client',
  nodeClient: 'nodeagent-client',
  nodeServing: 'nodeagent-serving',
  legacyUnknown: 'legacy-unknown',
} as const satisfies Record<keyof Vocabulary['signers'], string>;

const certificateOf = (whose: string) =>
  text('', `PEM certificate that signs ${whose}; default that of --cluster-signing-cert-file`);
const keyOf = (signer: string) => text('', `PEM key of --cluster-signing-${signer}-cert-file`);

/** Flags of signers. Certificates and keys are read again when their files change. */
export const signingFlags = {
  'cluster-signing-cert-file': text(
    '',
    'PEM certificate that signs certificate requests; default that of the data folder',
  ),
  'cluster-signing-key-file': text('', 'PEM key of --cluster-signing-cert-file'),
  'cluster-signing-apiserver-client-cert-file': certificateOf('clients of the API server'),
  'cluster-signing-apiserver-client-key-file': keyOf(SIGNERS.apiserverClient),
  'cluster-signing-nodeagent-client-cert-file': certificateOf('node agents as clients'),
  'cluster-signing-nodeagent-client-key-file': keyOf(SIGNERS.nodeClient),
  'cluster-signing-nodeagent-serving-cert-file': certificateOf('what node agents serve with'),
  'cluster-signing-nodeagent-serving-key-file': keyOf(SIGNERS.nodeServing),
  'cluster-signing-legacy-unknown-cert-file': certificateOf('requests that name no signer'),
  'cluster-signing-legacy-unknown-key-file': keyOf(SIGNERS.legacyUnknown),
  'cluster-signing-duration': duration('8760h', 'longest lifetime of signed certificates'),
};

type SigningFlags = FlagValues<typeof signingFlags>;
/** Prefixes of the flags for the certificate and key of a signer. */
type SignerPrefix = 'cluster-signing' | `cluster-signing-${(typeof SIGNERS)[keyof typeof SIGNERS]}`;

type SignerEntry = { [N in keyof typeof SIGNERS]: [N, (typeof SIGNERS)[N]] }[keyof typeof SIGNERS];

/**
 * Returns the authorities by signer name.
 * @param fallback returns the authority of signers without files, if there is one
 */
export async function readSigners(
  flags: SigningFlags,
  vocabulary: Vocabulary,
  live: LiveFiles,
  fallback: () => Promise<CertificateAuthority | undefined>,
): Promise<ReadonlyMap<string, Signer>> {
  const durationMs = flags['cluster-signing-duration'];
  if (durationMs <= 0) throw new UsageError('--cluster-signing-duration must be more than 0');
  const general = await authorityOf(flags, 'cluster-signing', live);
  let own: ReturnType<typeof fallback> | undefined;
  const signers = new Map<string, Signer>();
  for (const [name, signer] of Object.entries(SIGNERS) as SignerEntry[]) {
    const named = (await authorityOf(flags, `cluster-signing-${signer}`, live)) ?? general;
    const authority = named ?? always(await (own ??= fallback()));
    if (authority === undefined) continue;
    signers.set(vocabulary.signers[name], {
      get authority() {
        return authority();
      },
      durationMs,
      issue: issueCertificateAside,
    });
  }
  return signers;
}

const always = <T>(value: T | undefined): Live<T> | undefined =>
  value === undefined ? undefined : () => value;

/**
 * Returns the authority in the files of the flags, or undefined if the flags name no files. Throws a
 * `CodedError` for files that do not contain an authority.
 */
async function authorityOf(
  flags: SigningFlags,
  prefix: SignerPrefix,
  live: LiveFiles,
): Promise<Live<CertificateAuthority> | undefined> {
  const files = filePair(flags, `${prefix}-cert-file`, `${prefix}-key-file`);
  if (files === undefined) return undefined;
  const pair = await live.follow(prefix, async () => {
    const read = await readKeyPair(...files);
    load(read);
    return read;
  });
  return loaded(pair);
}

const load = ({ certificate, key }: Credential): CertificateAuthority =>
  loadCertificateAuthority(certificate, key);

/** Returns a live authority that parses each pair of files once. */
function loaded(pair: Live<Credential>): Live<CertificateAuthority> {
  let of = pair();
  let authority = load(of);
  return () => {
    if (pair() !== of) {
      of = pair();
      authority = load(of);
    }
    return authority;
  };
}
