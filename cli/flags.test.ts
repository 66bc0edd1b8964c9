import { describe, expect, it } from 'vitest';
import { apiServerFlags, clientFlags, commonFlags } from './flag-tables.ts';
import { parseFlags } from './flags.ts';

describe('flags that carry a name of the product', () => {
  it("are taken by upstream's names, too", () => {
    const flags = parseFlags({ ...apiServerFlags, ...clientFlags }, [
      '--kubelet-preferred-address-types=InternalIP,Hostname',
      '--kube-api-qps',
      '50',
    ]);
    expect(flags['nodeagent-preferred-address-types']).toEqual(['InternalIP', 'Hostname']);
    expect(flags['orch-api-qps']).toBe(50);
  });

  it('are refused where there are none, as they were given', () => {
    expect(() => parseFlags(clientFlags, ['--kubelet-port=1'])).toThrow(
      'unknown flag --kubelet-port; --help lists those there are',
    );
  });
});

describe('the data folder', () => {
  it('is not the folder one happens to be in because a variable is not set', () => {
    expect(() => parseFlags(commonFlags, ['--data-dir='])).toThrow(
      'invalid value "" for --data-dir: expected a path',
    );
    expect(parseFlags(commonFlags, ['--data-dir', '.'])['data-dir']).toBe('.');
    expect(parseFlags(commonFlags, [])['data-dir']).toBe('./.orch');
  });
});
