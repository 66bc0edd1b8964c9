import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSystemRandom } from '../../../base/random/system.ts';
import type { Transformer } from '../transformer.ts';
import { createAesCbc, createAesGcm, loadSecretbox } from './ciphers.ts';
import { UndecryptableValue, createEncryption } from './encryption.ts';
import type { Cipher, Provider, ProviderName, RandomBytes } from './provider.ts';

const system = createSystemRandom();
const random: RandomBytes = (length) => system.bytes(length);
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
const createSecretbox = await loadSecretbox();

/** Functions that create the cipher whose secret consists of the byte `fill`. */
const ciphers = {
  aesgcm: (fill: number) => createAesGcm(Buffer.alloc(32, fill), random),
  aescbc: (fill: number) => createAesCbc(Buffer.alloc(32, fill), random),
  secretbox: (fill: number) => createSecretbox(Buffer.alloc(32, fill), random),
} satisfies Partial<Record<ProviderName, (fill: number) => Cipher>>;

const names = ['aesgcm', 'aescbc', 'secretbox'] as const;

const provider = (
  name: (typeof names)[number],
  ...keys: readonly (readonly [string, number])[]
): Provider => ({
  name,
  keys: keys.map(([keyName, fill]) => ({ name: keyName, cipher: ciphers[name](fill) })),
});
const identity: Provider = { name: 'identity', keys: [] };

const KEY = '/registry/core/secrets/default/a';
const encryption = (...providers: readonly Provider[]): Transformer =>
  createEncryption({ mark: 'orch:enc:', providers: new Map([['/registry/core/secrets/', providers]]) });
const object = (text: string): Buffer => Buffer.from(JSON.stringify({ kind: 'Secret', text }));

describe.each(names)('%s', (name) => {
  it('decrypts its own output, which contains no plain text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, key) => {
        const value = object(`canary${text}`);
        const cipher = ciphers[name](1);
        const stored = cipher.encrypt(key, value);
        expect(stored.includes('canary')).toBe(false);
        expect(cipher.decrypt(key, stored)).toEqual(value);
        expect(cipher.encrypt(key, value)).not.toEqual(stored);
      }),
    );
  });

  it('decrypts neither with another secret nor after truncation', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(200), (text, length) => {
        const stored = ciphers[name](1).encrypt(KEY, object(text));
        expect(ciphers[name](2).decrypt(KEY, stored)).toBeUndefined();
        if (length < stored.length)
          expect(ciphers[name](1).decrypt(KEY, stored.subarray(0, length))).toBeUndefined();
      }),
    );
  });
});

describe('values encrypted by other implementations', () => {
  // Test vector of the NaCl documentation (https://nacl.cr.yp.to/secretbox.html), which `crypto_secretbox`
  // and Go's `nacl/secretbox` implement.
  it('are decrypted if secretbox encrypted them', () => {
    const secret = bytes('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
    const nonce = '69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37';
    const box =
      'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5';
    const message =
      'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705';
    expect(createSecretbox(secret, random).decrypt(KEY, bytes(nonce + box))).toEqual(bytes(message));
    const fixed = createSecretbox(secret, () => bytes(nonce));
    expect(fixed.encrypt(KEY, bytes(message))).toEqual(bytes(nonce + box));
  });

  // NIST SP 800-38A, F.2.5: the first block of CBC-AES256, with the padding of PKCS #7.
  it('consist of initialization vector and ciphertext in AES-CBC', () => {
    const secret = bytes('603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4');
    const vector = bytes('000102030405060708090a0b0c0d0e0f');
    const stored = createAesCbc(secret, () => vector).encrypt(KEY, bytes('6bc1bee22e409f96e93d7e117393172a'));
    expect(stored.subarray(0, 32).toString('hex')).toBe(
      '000102030405060708090a0b0c0d0e0ff58c4c04d6e5f1ba779eabfb5f7bfbd6',
    );
    expect(stored).toHaveLength(48);
  });
});

describe('the providers of a resource', () => {
  it('encrypt with the first key of the first provider, under a label that names provider and key', () => {
    const stored = encryption(provider('aescbc', ['new', 1], ['old', 2]), identity).toStorage(
      KEY,
      object('x'),
    );
    expect(stored.toString('latin1')).toMatch(/^orch:enc:aescbc:v1:new:/);
    expect(encryption(identity, provider('aescbc', ['new', 1])).toStorage(KEY, object('x'))).toEqual(
      object('x'),
    );
  });

  it.each([
    [
      'another provider',
      [provider('aesgcm', ['k', 1])],
      [provider('secretbox', ['k', 1]), provider('aesgcm', ['k', 1])],
    ],
    ['another key', [provider('aescbc', ['old', 1])], [provider('aescbc', ['new', 2], ['old', 1])]],
    ['no provider', [identity], [provider('aesgcm', ['k', 1]), identity]],
    [
      'a provider that is no longer the first',
      [provider('aesgcm', ['k', 1])],
      [identity, provider('aesgcm', ['k', 1])],
    ],
  ])('decrypt values encrypted by %s, and report them as stale', (_name, before, now) => {
    const stored = encryption(...before).toStorage(KEY, object('x'));
    expect(encryption(...before).fromStorage(KEY, stored)).toEqual({ value: object('x'), isStale: false });
    expect(encryption(...now).fromStorage(KEY, stored)).toEqual({ value: object('x'), isStale: true });
  });

  it('leave the values of other resources unchanged', () => {
    const key = '/registry/core/configmaps/default/a';
    const transformer = encryption(provider('aesgcm', ['k', 1]));
    expect(transformer.toStorage(key, object('x'))).toEqual(object('x'));
    expect(transformer.fromStorage(key, object('x'))).toEqual({ value: object('x'), isStale: false });
  });

  it('reject with AES-GCM a value that was copied to another key', () => {
    const transformer = encryption(provider('aesgcm', ['k', 1]));
    const stored = transformer.toStorage(KEY, object('x'));
    expect(() => transformer.fromStorage(`${KEY}b`, stored)).toThrow(UndecryptableValue);
  });
});

describe('an unreadable value', () => {
  const stored = encryption(provider('aescbc', ['key1', 1])).toStorage(KEY, object('x'));
  const none = createEncryption({ mark: 'orch:enc:', providers: new Map() });

  it.each([
    [
      'without a configuration',
      none,
      stored,
      `the value at ${KEY} cannot be read: it is encrypted and key key1 of aescbc is not in the encryption configuration of its resource`,
    ],
    [
      'without its key',
      encryption(provider('aescbc', ['key2', 1]), provider('aesgcm', ['key1', 1]), identity),
      stored,
      `the value at ${KEY} cannot be read: it is encrypted and key key1 of aescbc is not in the encryption configuration of its resource`,
    ],
    [
      'with another secret',
      encryption(provider('aescbc', ['key1', 2])),
      stored,
      `the value at ${KEY} cannot be read: key key1 of aescbc in the encryption configuration has another secret than it was encrypted with, or the value is damaged`,
    ],
    [
      'without identity, where it is plain',
      encryption(provider('aescbc', ['key1', 1])),
      object('x'),
      `the value at ${KEY} cannot be read: it is not encrypted and its resource has no identity provider; add one to the encryption configuration`,
    ],
    [
      'with a label that is not text',
      none,
      Buffer.concat([Buffer.from('orch:enc:'), Buffer.alloc(99, 0x3a)]),
      `the value at ${KEY} cannot be read: it is encrypted and its key is not in the encryption configuration of its resource`,
    ],
  ])('%s causes an error of one sentence', (_name, transformer, value, message) => {
    expect(() => transformer.fromStorage(KEY, value)).toThrow(message);
  });
});
