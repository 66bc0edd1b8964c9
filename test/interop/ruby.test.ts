import { beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedClient, type Told, isMissing, playScript } from './scripted.ts';

const ruby: ScriptedClient = {
  suite: 'the Ruby client',
  program: '/usr/bin/ruby',
  probe: ['-e', "require 'kubeclient'"],
  script: 'session.rb',
  packedIn: 'ruby-kubeclient',
};

describe.skipIf(isMissing(ruby))('the Ruby client', () => {
  let told: Told;
  beforeAll(async () => {
    told = await playScript(ruby);
  });

  it('discovers all kinds, and lists the objects of each kind', () => {
    expect(told.get('entities')).toEqual({
      value: expect.arrayContaining(['config_map', 'namespace', 'pod', 'service_account']) as unknown,
    });
  });

  it.each<[string, unknown]>([
    ['namespaces', ['default', 'kube-node-lease', 'kube-public', 'kube-system']],
    ['create', { a: 'b' }],
    ['patch', { a: 'b', c: 'd' }],
    ['merge', { a: 'b' }],
    ['json patch', { a: 'b', e: 'f' }],
    ['update', { a: 'b', e: 'f', g: 'h' }],
    ['pages', [1, true]],
    ['select', 1],
    ['delete', 'Success'],
    ['watch', ['ADDED', 'MODIFIED', 'MODIFIED', 'MODIFIED', 'MODIFIED', 'DELETED']],
    ['deployment', 'RollingUpdate'],
  ])('receives the expected value: %s', (step, value) => {
    expect(told.get(step)).toEqual({ value });
  });

  it('receives the message of an error response', () => {
    expect(told.get('outdated update')).toEqual({
      error: [409, expect.stringMatching(/^Operation cannot be fulfilled on configmaps "ruby":/)],
    });
    const missing = { error: [404, 'pods "nothing" not found'] };
    expect([told.get('nothing there'), told.get('log of nothing')]).toEqual([missing, missing]);
  });
});
