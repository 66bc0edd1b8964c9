import { type KeyObject, sign, verify } from 'node:crypto';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { CodedError } from '../errors/coded.ts';
import { oid, sequence } from './der.ts';

interface SignatureAlgorithm {
  readonly oid: string;
  /** Hash name for Node.js; null for algorithms with a built-in hash. */
  readonly hash: string | null;
  readonly keyType: 'rsa' | 'ec' | 'ed25519' | 'ed448';
}

const RSA_SHA256: SignatureAlgorithm = { oid: '1.2.840.113549.1.1.11', hash: 'sha256', keyType: 'rsa' };
const ECDSA_SHA256: SignatureAlgorithm = { oid: '1.2.840.10045.4.3.2', hash: 'sha256', keyType: 'ec' };
const ECDSA_SHA384: SignatureAlgorithm = { oid: '1.2.840.10045.4.3.3', hash: 'sha384', keyType: 'ec' };
const ECDSA_SHA512: SignatureAlgorithm = { oid: '1.2.840.10045.4.3.4', hash: 'sha512', keyType: 'ec' };
const ED25519: SignatureAlgorithm = { oid: '1.3.101.112', hash: null, keyType: 'ed25519' };

const KNOWN: readonly SignatureAlgorithm[] = [
  RSA_SHA256,
  { oid: '1.2.840.113549.1.1.12', hash: 'sha384', keyType: 'rsa' },
  { oid: '1.2.840.113549.1.1.13', hash: 'sha512', keyType: 'rsa' },
  { oid: '1.2.840.113549.1.1.5', hash: 'sha1', keyType: 'rsa' },
  ECDSA_SHA256,
  ECDSA_SHA384,
  ECDSA_SHA512,
  { oid: '1.2.840.10045.4.1', hash: 'sha1', keyType: 'ec' },
  ED25519,
  { oid: '1.3.101.113', hash: null, keyType: 'ed448' },
];

/** Returns the signature algorithm for `key`. For EC keys, its hash is as strong as the curve. */
function algorithmFor(key: KeyObject): SignatureAlgorithm {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return RSA_SHA256;
    case 'ec': {
      const curve = key.asymmetricKeyDetails?.namedCurve;
      return curve === 'secp384r1' ? ECDSA_SHA384 : curve === 'secp521r1' ? ECDSA_SHA512 : ECDSA_SHA256;
    }
    case 'ed25519':
      return ED25519;
    default:
      throw new CodedError(
        'ERR_KEY_TYPE',
        `cannot sign with a key of type ${String(key.asymmetricKeyType)}, expected rsa, ec or ed25519`,
      );
  }
}

/**
 * Returns the algorithm identifier in certificates that `key` signs. For RSA, the parameters are an explicit
 * NULL (RFC 3279 section 2.2.1).
 */
export function signatureIdentifier(key: KeyObject): AlgorithmIdentifier {
  const { oid, keyType } = algorithmFor(key);
  return new AlgorithmIdentifier({ algorithm: oid, ...(keyType === 'rsa' ? { parameters: null } : {}) });
}

/** Returns the algorithm identifier in DER. */
export function signatureIdentifierDer(key: KeyObject): Buffer {
  const { oid: id, keyType } = algorithmFor(key);
  return sequence(oid(id), ...(keyType === 'rsa' ? [NULL] : []));
}

const NULL = Buffer.of(0x05, 0x00);

/** Signs bytes with the algorithm for `key`. */
export const signBytes = (key: KeyObject, bytes: Uint8Array): Buffer =>
  sign(algorithmFor(key).hash, bytes, key);

/**
 * Signs bytes with an RSA key on another thread. Signs with other keys synchronously, as a thread switch
 * costs more than the signature.
 */
export function signBytesAside(key: KeyObject, bytes: Uint8Array): Promise<Buffer> {
  const { hash, keyType } = algorithmFor(key);
  if (keyType !== 'rsa') return Promise.resolve(sign(hash, bytes, key));
  return new Promise((resolve, reject) => {
    sign(hash, bytes, key, (error, signature) => (error ? reject(error) : resolve(signature)));
  });
}

/**
 * True if the signature is valid. False if the algorithm is unknown or does not match the type of the key.
 */
export function verifyBytes(oid: string, key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  const algorithm = KNOWN.find((each) => each.oid === oid);
  if (!algorithm || algorithm.keyType !== key.asymmetricKeyType) return false;
  try {
    return verify(algorithm.hash, bytes, key, signature);
  } catch {
    return false;
  }
}
