import { describe, expect, it } from 'vitest';
import { validateHostProcesses, validateWindowsOptions } from './windows.ts';

const complaints = (runAsUserName: string): readonly string[] =>
  validateWindowsOptions({ runAsUserName }, 'w').map(({ message }) =>
    message.slice(message.indexOf(': ') + 2),
  );

describe('validateWindowsOptions', () => {
  it.each([
    ['ContainerUser', []],
    ['corp.example.com\\user', []],
    ['', ['"": runAsUserName cannot be an empty string']],
    ['a\u0007', ['"a\\a": runAsUserName cannot contain control characters']],
    ['a\\b\\c', ['"a\\\\b\\\\c": runAsUserName cannot contain more than one backslash']],
    ['.corp\\u', ['".corp\\\\u": runAsUserName\'s Domain doesn\'t match the NetBios nor the DNS format']],
    ['corp\\', ['"corp\\\\": runAsUserName\'s User cannot be empty']],
    ['. .', ['". .": runAsUserName\'s User cannot contain only periods or spaces']],
    ['a:b', ['"a:b": runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]']],
  ])('reports the errors of the user %j: %j', (name, expected) => expect(complaints(name)).toEqual(expected));

  it('requires the name of a credential spec to be a subdomain and limits the size of the spec', () => {
    const found = validateWindowsOptions(
      { gmsaCredentialSpecName: 'A', gmsaCredentialSpec: 'x'.repeat(65 * 1024) },
      'w',
    );
    expect(found.map(({ field }) => field)).toEqual(['w.gmsaCredentialSpecName', 'w.gmsaCredentialSpec']);
  });

  it('requires that either all or no containers are host processes in the host network', () => {
    const hosted = { securityContext: { windowsOptions: { hostProcess: true } } };
    const container = { name: 'a', ...hosted };
    expect(validateHostProcesses({ containers: [container, { name: 'b' }] }, 'spec')).toEqual([
      expect.objectContaining({ field: 'spec' }) as object,
      expect.objectContaining({ field: 'spec.hostNetwork' }) as object,
    ]);
    expect(
      validateHostProcesses({ containers: [{ name: 'a' }], hostNetwork: true, ...hosted }, 'spec'),
    ).toEqual([]);
    expect(
      validateHostProcesses(
        {
          containers: [container],
          securityContext: { windowsOptions: { hostProcess: false } },
          hostNetwork: true,
        },
        'spec',
      ),
    ).toEqual([
      expect.objectContaining({ message: expect.stringContaining('was false') as string }) as object,
    ]);
  });
});
