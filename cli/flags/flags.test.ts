import { describe, expect, it } from 'vitest';
import { apiServerFlags, clientFlags, commonFlags } from './flag-tables.ts';
import { parseFlags } from './flags.ts';

describe('flags with a product name', () => {
  it('are accepted under their upstream names', () => {
    const flags = parseFlags({ ...apiServerFlags, ...clientFlags }, [
      '--kubelet-preferred-address-types=InternalIP,Hostname',
      '--kube-api-qps',
      '50',
    ]);
    expect(flags['nodeagent-preferred-address-types']).toEqual(['InternalIP', 'Hostname']);
    expect(flags['orch-api-qps']).toBe(50);
  });

  it('are rejected under the given name if they do not exist', () => {
    expect(() => parseFlags(clientFlags, ['--kubelet-port=1'])).toThrow(
      'unknown flag --kubelet-port; --help=all lists the known flags',
    );
  });
});

describe('--data-dir', () => {
  it('is not the working directory if an empty value is given', () => {
    expect(() => parseFlags(commonFlags, ['--data-dir='])).toThrow(
      'invalid value "" for --data-dir: expected a path',
    );
    expect(parseFlags(commonFlags, ['--data-dir', '.'])['data-dir']).toBe('.');
    expect(parseFlags(commonFlags, [])['data-dir']).toBe('./.orch');
  });
});
