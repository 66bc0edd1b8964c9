import type { FailureRule } from '../../runtime/index.ts';

/** Key that fails because the controller may not do what it needs. */
export const rightsMissing: FailureRule = {
  reason: 'rights-missing',
  pattern: /User "([^"]+)" cannot (\w+) (?:resource|path) "([^"]+)"/,
  find: ({ name, controller }, [, user = '', verb = '', resource = '']) => ({
    sentence: `${name} cannot be reconciled by ${controller}: no role allows ${user} to ${verb} ${resource}.`,
  }),
};
