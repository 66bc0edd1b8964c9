import type { KeyObject } from 'node:crypto';
import { createRequire } from 'node:module';
import type { asn1, Bytes, md, util } from 'node-forge';

/** Key and certificates of one identity. */
export interface Pkcs12Options {
  /** Private key of the first certificate, of any type. */
  readonly privateKey: KeyObject;
  /** Certificates in DER: the certificate of the key, followed by those of its issuers. */
  readonly certificates: readonly Uint8Array[];
  /** Name that browsers display in their list of certificates. */
  readonly name: string;
  readonly password: string;
  /**
   * True to use 3DES and SHA-1, which macOS before 15 and Windows before 10 require. The default is false.
   */
  readonly legacy?: boolean;
}

/** Number of iterations of the key derivation, ten times OpenSSL's default; takes about half a second. */
const ROUNDS = 20_000;
const SALT_BYTES = 16;
/** Purpose ID of a derived key for integrity (RFC 7292, appendix B.3). */
const FOR_MAC = 3;
const SHA_1 = { name: 'sha1', bytes: 20 } as const;
const SHA_256 = { name: 'sha256', bytes: 32 } as const;

/** Key derivation of node-forge (RFC 7292, appendix B), which is missing from its types. */
interface Derivation {
  generatePkcs12Key(
    password: string,
    salt: util.ByteBuffer,
    purpose: number,
    rounds: number,
    bytes: number,
    digest: md.MessageDigest,
  ): util.ByteBuffer;
}

const load = createRequire(import.meta.url);

/**
 * Returns a PKCS#12 file (RFC 7292) with an encrypted key and its certificates, which browsers can import.
 *
 * The key is encrypted with AES-256-CBC (PBES2, PBKDF2 with SHA-256), and a MAC with SHA-256 protects the
 * file.
 *
 * node-forge can parse only RSA keys, so the key and the certificates are inserted as DER. node-forge is
 * loaded at the first call.
 */
export function createPkcs12(options: Pkcs12Options): Buffer {
  const forge = load('node-forge') as typeof import('node-forge');
  const { asn1: der, pki, random } = forge;
  const { pbe } = pki as typeof pki & { readonly pbe: Derivation };
  const { Class, Type } = der;
  const { privateKey, certificates, name, password, legacy = false } = options;
  const digest = legacy ? SHA_1 : SHA_256;

  const node = (type: number, value: Bytes | asn1.Asn1[], constructed = false): asn1.Asn1 =>
    der.create(Class.UNIVERSAL, type as asn1.Type, constructed, value);
  const sequence = (...parts: asn1.Asn1[]): asn1.Asn1 => node(Type.SEQUENCE, parts, true);
  const set = (...parts: asn1.Asn1[]): asn1.Asn1 => node(Type.SET, parts, true);
  const explicit = (part: asn1.Asn1): asn1.Asn1 =>
    der.create(Class.CONTEXT_SPECIFIC, 0 as asn1.Type, true, [part]);
  const oid = (known: string): asn1.Asn1 => node(Type.OID, der.oidToDer(pki.oids[known] ?? '').getBytes());
  const octets = (bytes: Bytes): asn1.Asn1 => node(Type.OCTETSTRING, bytes);
  const whole = (value: number): asn1.Asn1 => node(Type.INTEGER, der.integerToDer(value).getBytes());
  const bytesOf = (part: asn1.Asn1): Bytes => der.toDer(part).getBytes();
  const data = (content: Bytes): asn1.Asn1 => sequence(oid('data'), explicit(octets(content)));

  const [own = new Uint8Array()] = certificates;
  const id = forge.md.sha1.create().update(binary(own)).digest().getBytes();
  const attributes = set(
    sequence(oid('localKeyId'), set(octets(id))),
    sequence(oid('friendlyName'), set(node(Type.BMPSTRING, name))),
  );
  const certificateBags = certificates.map((each, at) => {
    const bag = sequence(oid('x509Certificate'), explicit(octets(binary(each))));
    return sequence(oid('certBag'), explicit(bag), ...(at === 0 ? [attributes] : []));
  });
  const info = der.fromDer(binary(privateKey.export({ type: 'pkcs8', format: 'der' })));
  // PBES2 derives the key from the bytes of the password, the legacy scheme from its characters.
  const encrypted = pki.encryptPrivateKeyInfo(info, legacy ? password : forge.util.encodeUtf8(password), {
    algorithm: legacy ? '3des' : 'aes256',
    prfAlgorithm: 'sha256',
    count: ROUNDS,
    saltSize: SALT_BYTES,
  });
  const keyBag = sequence(oid('pkcs8ShroudedKeyBag'), explicit(encrypted), attributes);
  const safe = bytesOf(
    sequence(data(bytesOf(sequence(...certificateBags))), data(bytesOf(sequence(keyBag)))),
  );

  const salt = random.getBytesSync(SALT_BYTES);
  const key = pbe.generatePkcs12Key(
    password,
    forge.util.createBuffer(salt),
    FOR_MAC,
    ROUNDS,
    digest.bytes,
    forge.md[digest.name].create(),
  );
  const mac = forge.hmac.create();
  mac.start(forge.md[digest.name].create(), key);
  mac.update(safe);
  const macInfo = sequence(sequence(oid(digest.name), node(Type.NULL, '')), octets(mac.digest().getBytes()));
  const file = sequence(whole(3), data(safe), sequence(macInfo, octets(salt), whole(ROUNDS)));
  return Buffer.from(bytesOf(file), 'binary');
}

/** Converts bytes to node-forge's representation: a string with one character per byte. */
const binary = (bytes: Uint8Array): Bytes => Buffer.from(bytes).toString('binary');
