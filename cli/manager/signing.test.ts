import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createCertificateAuthority } from '../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../base/pki/keys.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { parseFlags } from '../flags/flags.ts';
import { createLiveFiles } from '../files/live-files.ts';
import { readSigners, signingFlags } from './signing.ts';

const DAY_MS = 86_400_000;
const { signers: names } = orchVocabulary;

describe('signers of certificate requests', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const authority = (commonName: string) => {
    const keys = generateKeyPair('ec-p256');
    const validity = { notBeforeMs: 0, notAfterMs: DAY_MS };
    const made = createCertificateAuthority(
      { commonName, organizations: [] },
      keys,
      validity,
      createSeededRandom(1),
    );
    return { authority: made, certificate: made.certificatePem, key: privateKeyPem(keys.privateKey) };
  };
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  /** Returns the flags for the two files of a new authority. */
  const given = (prefix: string, commonName: string): string[] => {
    const { certificate, key } = authority(commonName);
    return [
      `--${prefix}-cert-file=${file(`${prefix}.crt`, certificate)}`,
      `--${prefix}-key-file=${file(`${prefix}.key`, key)}`,
    ];
  };
  const read = async (argv: readonly string[]) => {
    const clock = createSimulatedClock();
    const live = createLiveFiles({ clock, log: silentLogger });
    const fallback = async () => authority('own').authority;
    const signers = await readSigners(parseFlags(signingFlags, argv), orchVocabulary, live, fallback);
    await live.start();
    return {
      clock,
      stop: () => live.stop(),
      signer: (name: string) => signers.get(name),
      whose: (name: string) => signers.get(name)?.authority.certificate.subject,
    };
  };

  it('default to the authority of the data directory with the configured duration', async () => {
    const { whose, signer, stop } = await read(['--cluster-signing-duration=48h']);
    for (const name of Object.values(names)) expect(whose(name)).toBe('CN=own');
    expect(signer(names.nodeClient)?.durationMs).toBe(2 * DAY_MS);
    await stop();
  });

  it('use dedicated files if flags name them, and the general files otherwise', async () => {
    const { whose, stop } = await read([
      ...given('cluster-signing', 'general'),
      ...given('cluster-signing-nodeagent-client', 'nodes'),
      ...given('cluster-signing-nodeagent-serving', 'serving'),
      ...given('cluster-signing-apiserver-client', 'clients'),
    ]);
    expect(whose(names.nodeClient)).toBe('CN=nodes');
    expect(whose(names.nodeServing)).toBe('CN=serving');
    expect(whose(names.apiserverClient)).toBe('CN=clients');
    expect(whose(names.legacyUnknown)).toBe('CN=general');
    await stop();
  });

  it('change once both files have changed, and retain the old pair while the files do not match', async () => {
    const { clock, signer, whose, stop } = await read(given('cluster-signing', 'first'));
    const next = authority('second');
    file('cluster-signing.crt', next.certificate);
    await clock.advance(6_000);
    await expect.poll(() => whose(names.nodeClient)).toBe('CN=first');
    file('cluster-signing.key', next.key);
    await expect
      .poll(async () => {
        await clock.advance(6_000);
        return whose(names.nodeClient);
      })
      .toBe('CN=second');
    const { authority: now } = signer(names.nodeClient) ?? expect.unreachable();
    expect(new X509Certificate(now.certificatePem).checkPrivateKey(now.privateKey)).toBe(true);
    await stop();
  });

  it.each([
    [['--cluster-signing-duration=0'], 'must be more than 0'],
    [['--cluster-signing-duration=-1h'], 'must be more than 0'],
    [['--cluster-signing-nodeagent-client-cert-file=a'], 'go together'],
    [['--cluster-signing-cert-file=/none', '--cluster-signing-key-file=/none'], '/none does not exist'],
  ])('are rejected for the flags %j', async (argv, why) => {
    await expect(read(argv)).rejects.toThrow(why);
  });
});
