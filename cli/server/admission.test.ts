import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { parseAdmissionConfiguration, readAdmission, uncalledWebhooks } from './admission.ts';
import { UsageError } from '../flags/flags.ts';

const flags = (changes: object = {}) => ({
  'enable-admission-plugins': [],
  'disable-admission-plugins': [],
  'admission-control-config-file': '',
  'default-not-ready-toleration-seconds': 300,
  'default-unreachable-toleration-seconds': 300,
  ...changes,
});
const readAll = (changes: object) =>
  readAdmission(flags(changes), { vocabulary: kubernetesVocabulary, clock: createSimulatedClock() });
const read = async (changes: object) => (await readAll(changes)).admission;
const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';

describe('the admission flags', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'admission-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('reject an unknown plugin with a usage error', async () => {
    await expect(read({ 'enable-admission-plugins': ['Nope'] })).rejects.toThrow(
      new UsageError('enable-admission-plugins plugin "Nope" is unknown'),
    );
  });

  it('pass each plugin its configuration, inline or from a file', async () => {
    const file = join(folder, 'admission.yaml');
    await writeFile(
      file,
      `${HEAD}plugins:\n- name: EventRateLimit\n  path: limits.yaml\n- name: PodSecurity\n  configuration: {a: [1]}\n`,
    );
    await writeFile(join(folder, 'limits.yaml'), 'limits: []\n');
    const { configuration } = await read({ 'admission-control-config-file': file });
    expect([...configuration]).toEqual([
      ['EventRateLimit', { limits: [] }],
      ['PodSecurity', { a: [1] }],
    ]);
  });

  it('warn about disabled webhook plugins while their configurations are served', () => {
    const disabled = flags({ 'disable-admission-plugins': ['ValidatingAdmissionWebhook', 'PodSecurity'] });
    expect(uncalledWebhooks(disabled, () => true)).toEqual([
      'ValidatingAdmissionWebhook is disabled while validatingwebhookconfigurations are served, which --runtime-config should disable too',
    ]);
    expect(uncalledWebhooks(disabled, ({ plural }) => plural !== 'validatingwebhookconfigurations')).toEqual(
      [],
    );
    expect(uncalledWebhooks(flags(), () => true)).toEqual([]);
  });

  it('set the toleration seconds for failing nodes', async () => {
    const { tolerationSeconds } = await readAll({ 'default-unreachable-toleration-seconds': 60 });
    expect(tolerationSeconds).toEqual({ notReadySeconds: 300, unreachableSeconds: 60 });
  });

  it('pass the image policy plugin the address of its service', async () => {
    const service = join(folder, 'service.conf');
    const clusters = '[{name: b, cluster: {server: "https://images.example.com/policy"}}]';
    const contexts = '[{name: c, context: {cluster: b}}]';
    await writeFile(service, `{clusters: ${clusters}, contexts: ${contexts}, current-context: c}`);
    const file = join(folder, 'admission.yaml');
    const imagePolicy = `{kubeConfigFile: ${JSON.stringify(service)}}`;
    const entry = `name: ImagePolicyWebhook, configuration: {imagePolicy: ${imagePolicy}}`;
    await writeFile(file, `${HEAD}plugins: [{${entry}}]`);
    const given = { 'admission-control-config-file': file };
    const off = await readAll(given);
    expect(() => off.remoteOf(service)).toThrow(`${service} has not been read`);
    const on = await readAll({ ...given, 'enable-admission-plugins': ['ImagePolicyWebhook'] });
    expect(on.remoteOf(service)).toMatchObject({
      peer: { origin: 'https://images.example.com' },
      path: '/policy',
    });
  });

  it('reject the image policy plugin without its configuration', async () => {
    await expect(read({ 'enable-admission-plugins': ['ImagePolicyWebhook'] })).rejects.toThrow(
      'couldn\'t init admission plugin "ImagePolicyWebhook": no config specified',
    );
  });

  it('name a file that is missing or has other content', async () => {
    const file = join(folder, 'admission.yaml');
    await expect(read({ 'admission-control-config-file': file })).rejects.toThrow(`${file} does not exist`);
    await writeFile(file, 'kind: [secret');
    await expect(read({ 'admission-control-config-file': file })).rejects.toThrow(
      `${file} is neither YAML nor JSON (line 1, column 14)`,
    );
  });

  it.each([
    ['{}', /^expected kind AdmissionConfiguration/],
    [`${HEAD.replace('/v1', '/v9')}`, /^expected kind AdmissionConfiguration/],
    [`${HEAD}plugins: {}`, /^plugins: expected a list/],
    [`${HEAD}plugins: [{}]`, /^plugins\[0\]\.name: expected a name/],
    [`${HEAD}plugins: [{name: A, path: 1}]`, /^plugins\[0\]\.path: expected the path of a file/],
  ])('are rejected if an admission configuration contains %j', (text, message) => {
    expect(() => parseAdmissionConfiguration(text, kubernetesVocabulary)).toThrow(message);
  });
});
