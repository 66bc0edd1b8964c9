import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { at, createApi } from './api.ts';
import { createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());

const COLLECTION = '/api/v1/namespaces/default/secrets';
const READY = /^ready https/m;
const CANARY = 'c4n4ry-c4n4ry-c4n4ry';

/** The secret value in plain text, and the base64 forms of its middle at each alignment. */
const forms = [
  CANARY,
  ...[0, 1, 2].map((skip) =>
    Buffer.from('x'.repeat(skip) + CANARY)
      .toString('base64')
      .slice(4, -4),
  ),
];

/** Returns the files below a directory that contain the secret value in any of the forms. */
const plainFiles = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return forms.some((form) => bytes.includes(form));
    });

const configuration = (fill: number): string => `
apiVersion: apiserver.config.orch.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [secrets]
    providers:
      - aescbc:
          keys: [{name: key1, secret: ${Buffer.alloc(32, fill).toString('base64')}}]
      - identity: {}
`;

describe('a server with encrypted Secrets', () => {
  it('writes no plain value to its data directory or a backup, and requires its key to start', async () => {
    const folder = bench.folder();
    const data = join(folder, 'data');
    const config = join(folder, 'encryption.yaml');
    writeFileSync(config, configuration(1));
    const start = (...argv: readonly string[]) =>
      bench.orch(['up', '--data-dir', data, '--secure-port', '0', ...argv]);
    const first = start('--encryption-provider-config', config);
    await first.output(READY);
    const api = createApi(join(data, 'admin.conf'));
    onTestFinished(() => api.close());
    const body = (name: string) => ({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name, labels: { a: 'b' } },
      stringData: { password: CANARY },
      type: 'Opaque',
    });
    for (const name of ['kept', 'deleted'])
      expect((await api.call('POST', COLLECTION, { body: body(name) })).status).toBe(201);
    expect((await api.call('PUT', `${COLLECTION}/kept`, { body: body('kept') })).status).toBe(200);
    expect((await api.call('DELETE', `${COLLECTION}/deleted`)).status).toBe(200);
    await first.end('SIGKILL');
    expect(plainFiles(data)).toEqual([]);
    cpSync(data, join(folder, 'backup'), { recursive: true });
    expect(plainFiles(join(folder, 'backup'))).toEqual([]);

    const without = start();
    expect((await without.exit()).code).toBe(1);
    expect(without.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(
        /the value at \/registry\/core\/secrets\/[^ ]+ cannot be read: it is encrypted and key key1 of aescbc is not in the encryption configuration of its resource$/,
      ),
    ]);
    writeFileSync(config, configuration(2));
    const wrong = start('--encryption-provider-config', config);
    expect((await wrong.exit()).code).toBe(1);
    expect(wrong.stderr).toMatch(/key key1 of aescbc in the encryption configuration has another secret/);

    writeFileSync(config, configuration(1));
    const again = start('--encryption-provider-config', config);
    await again.output(READY);
    const reached = createApi(join(data, 'admin.conf'));
    onTestFinished(() => reached.close());
    const read = await reached.call('GET', `${COLLECTION}/kept`);
    expect(Buffer.from(String(at(read.json, 'data', 'password')), 'base64').toString()).toBe(CANARY);
    await again.end('SIGTERM');
  });
});
