import { type FailureRule, nameOf } from '../../runtime/index.ts';
import { configurationOf } from './webhook-configuration.ts';

/** Key that fails because the API server cannot call an admission webhook. */
export const webhookUnreachable: FailureRule = {
  reason: 'webhook-unreachable',
  pattern: /failed calling webhook "([^"]+)": (.*)$/,
  find({ name }, [, hook = '', why = ''], facts) {
    const blocker = configurationOf(hook, facts);
    const of = blocker === undefined ? '' : ` of ${nameOf(blocker)}`;
    return {
      blocker,
      sentence: `${name} cannot write what it needs, because the webhook ${hook}${of} does not respond: ${why.replace(/\.$/, '')}.`,
    };
  },
};
