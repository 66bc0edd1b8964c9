import { describe, expect, it } from 'vitest';
import { modeFaults } from './modes.ts';

const NO_FILES = { policy: '', webhookConfig: '' };

describe('authorization modes', () => {
  it.each([[['RBAC']], [['Node', 'RBAC']], [['AlwaysDeny', 'AlwaysAllow', 'RBAC', 'Node']]])(
    'may be %s',
    (modes) => {
      expect(modeFaults(modes, NO_FILES)).toEqual([]);
    },
  );

  it('require their files', () => {
    expect(modeFaults(['ABAC', 'Webhook'], { policy: '/p', webhookConfig: '/w' })).toEqual([]);
  });

  it.each([
    [[], NO_FILES, 'at least one authorization-mode must be passed'],
    [['rbac'], NO_FILES, 'authorization-mode "rbac" is not a valid mode'],
    [
      ['RBAC', 'Node', 'RBAC'],
      NO_FILES,
      'authorization-mode ["RBAC" "Node" "RBAC"] has mode specified more than once',
    ],
    [['ABAC'], NO_FILES, "authorization-mode ABAC's authorization policy file not passed"],
    [['Webhook'], NO_FILES, "authorization-mode Webhook's authorization config file not passed"],
    [
      ['RBAC'],
      { policy: '/p', webhookConfig: '' },
      'cannot specify --authorization-policy-file without mode ABAC',
    ],
    [
      ['RBAC'],
      { policy: '', webhookConfig: '/w' },
      'cannot specify --authorization-webhook-config-file without mode Webhook',
    ],
  ])('are rejected: %s with %o: %s', (modes, files, fault) => {
    expect(modeFaults(modes, files)).toEqual([fault]);
  });
});
