import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { eventOf } from '../../apiserver/audit/audit.fixture.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { readAudit } from './audit.ts';
import { auditFlags } from './audit-flags.ts';
import { parseFlags } from '../flags/flags.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-flags-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const written = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const policy = () =>
  written('policy.yaml', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]');
const remote = () =>
  written(
    'remote.conf',
    'current-context: c\ncontexts: [{name: c, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "https://audit.example:1/x"}}]',
  );

/** Returns the audit backend of the flags and the number of requests to the remote of `remote()`. */
async function read(argv = '') {
  const clock = createSimulatedClock();
  const warnings: string[] = [];
  let posts = 0;
  const outbound = createInMemoryOutbound(() => ({
    handler: () => {
      posts += 1;
      return Promise.resolve({ status: 200, headers: {}, body: new Uint8Array() });
    },
  }));
  const audit = await readAudit(
    parseFlags(
      auditFlags,
      argv.split(' ').filter((word) => word !== ''),
    ),
    {
      clock,
      outbound,
      random: createSeededRandom(1),
      log: { ...silentLogger, warn: (_fields, message) => void warnings.push(message) },
      vocabulary: kubernetesVocabulary,
    },
  );
  return { clock, warnings, backend: audit?.(createMetrics()).backend, posts: () => posts };
}

describe('audit flags', () => {
  it('request no auditing by default', async () => {
    expect((await read()).backend).toBeUndefined();
  });

  it('record nothing without a policy and warn', async () => {
    const { backend, warnings } = await read(`--audit-log-path ${join(folder, 'log')}`);
    expect(backend).toBeUndefined();
    expect(warnings).toEqual(['no audit policy file provided, no events will be recorded']);
  });

  it('send events to the log at once and to the webhook in batches, including the events pending at the stop', async () => {
    const log = join(folder, 'audit.log');
    const { backend, posts } = await read(
      `--audit-policy-file ${policy()} --audit-log-path ${log} --audit-webhook-config-file ${remote()}`,
    );
    expect(backend?.process([eventOf('1')])).toBe(true);
    expect(readFileSync(log, 'utf8')).toContain('"auditID":"1"');
    expect(posts()).toBe(0);
    await backend?.stop();
    expect(posts()).toBe(1);
  });

  it.each([
    ['blocking', true],
    ['blocking-strict', false],
  ])('with log mode %s continue a request whose event is lost: %s', async (mode, goesOn) => {
    const { backend } = await read(
      `--audit-policy-file ${policy()} --audit-log-path ${folder} --audit-log-mode ${mode}`,
    );
    expect(backend?.process([eventOf('1')])).toBe(goesOn);
  });

  it('truncate events if requested', async () => {
    const log = join(folder, 'audit.log');
    const { backend } = await read(
      `--audit-policy-file ${policy()} --audit-log-path ${log} --audit-log-truncate-enabled --audit-log-truncate-max-event-size 500`,
    );
    backend?.process([eventOf('1', { level: 'Request', requestObject: 'x'.repeat(1_000) })]);
    expect(readFileSync(log, 'utf8')).toContain('"audit.k8s.io/truncated":"true"');
  });

  it.each([
    ['--audit-policy-file /nowhere/policy', '/nowhere/policy does not exist'],
    ['--audit-log-version audit.k8s.io/v1beta1', 'expected audit.k8s.io/v1'],
    ['--audit-log-truncate-max-batch-size 9', 'expected at least --audit-log-truncate-max-event-size'],
    ['--audit-webhook-mode never', 'expected one of batch, blocking, blocking-strict'],
    ['--audit-webhook-batch-throttle-qps 0', 'expected a number above 0'],
  ])('reject %j', async (argv, reason) => {
    await expect(read(argv)).rejects.toThrow(reason);
  });

  it('name the file and the rule of an invalid policy', async () => {
    const path = written('wrong.yaml', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: All}]');
    await expect(read(`--audit-policy-file ${path}`)).rejects.toThrow(
      `${path} does not hold an audit policy: rules[0].level: Unsupported value: "All"`,
    );
  });
});
