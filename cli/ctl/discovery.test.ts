import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { UsageError } from '../flags/flags.ts';
import { createDiscovery, createDiscoveryFile } from './discovery.ts';
import type { Resource } from './resources.ts';

const HOUR = 3_600_000;
const pods: Resource = {
  group: '',
  version: 'v1',
  plural: 'pods',
  singular: 'pod',
  shortNames: ['po'],
  kind: 'Pod',
  namespaced: true,
  verbs: ['get'],
  categories: [],
};
const served = { vocabulary: kubernetesVocabulary, resources: [pods] };

const scratch = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'discovery-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

describe('the file with the resources of a server', () => {
  it('is read for six hours, by its owner alone', async () => {
    const folder = join(scratch(), 'orchctl');
    let nowMs = 0;
    const file = createDiscoveryFile(folder, { server: 'https://a:1', ca: 'x' }, () => nowMs);
    expect(await file.read()).toBeUndefined();
    await file.write(served);
    expect(await file.read()).toEqual(served);
    nowMs = 6 * HOUR - 1;
    expect(await file.read()).toEqual(served);
    nowMs = 6 * HOUR;
    expect(await file.read()).toBeUndefined();
    expect(readdirSync(folder)).toHaveLength(1);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('belongs to one address and one certificate authority', async () => {
    const folder = scratch();
    const at = (server: string, ca: string) => createDiscoveryFile(folder, { server, ca }, () => 0);
    await at('https://a:1', 'x').write(served);
    expect(await at('https://a:1', 'y').read()).toBeUndefined();
    expect(await at('https://a:2', 'x').read()).toBeUndefined();
  });

  it.each(['', '{', '[]', '{"format":2}', '{"format":1,"savedMs":0,"product":"orch","resources":[]}'])(
    'is ignored if its content is %j',
    async (content) => {
      const folder = scratch();
      const file = createDiscoveryFile(folder, { server: 'https://a:1' }, () => 0);
      await file.write(served);
      for (const name of readdirSync(folder)) writeFileSync(join(folder, name), content);
      expect(await file.read()).toBeUndefined();
    },
  );

  it('is not written if its folder cannot be created', async () => {
    const blocked = join(scratch(), 'file');
    writeFileSync(blocked, '');
    const file = createDiscoveryFile(join(blocked, 'below'), { server: 'https://a:1' }, () => 0);
    await file.write(served);
    expect(existsSync(join(blocked, 'below'))).toBe(false);
  });
});

describe('find', () => {
  const find = (all: readonly Resource[]): Resource => {
    const [found] = all;
    if (found === undefined) throw new UsageError('no resource');
    return found;
  };

  it('asks the server only if the resource is not among the known ones', async () => {
    let asked = 0;
    const ask = async (): Promise<readonly Resource[]> => {
      asked++;
      return [pods];
    };
    expect([await createDiscovery([pods], ask).find(find), asked]).toEqual([pods, 0]);
    expect([await createDiscovery([], ask).find(find), asked]).toEqual([pods, 1]);
    const unknown = createDiscovery(undefined, ask);
    expect([await unknown.find(find), await unknown.find(find), asked]).toEqual([pods, pods, 2]);
  });

  it('throws the error for the resources of the server', async () => {
    await expect(createDiscovery([], async () => []).find(find)).rejects.toThrow('no resource');
  });
});
