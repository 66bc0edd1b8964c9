import { type FailureRule, nameOf } from '../../runtime/index.ts';
import { configurationOf } from './webhook-configuration.ts';

/** Key that fails because an admission webhook refuses its requests. */
export const webhookRefuses: FailureRule = {
  reason: 'webhook-refuses',
  pattern: /admission webhook "([^"]+)" denied the request(?:: (.*))?/,
  find({ name }, [, hook = '', why = ''], facts) {
    const blocker = configurationOf(hook, facts);
    const of = blocker === undefined ? '' : ` of ${nameOf(blocker)}`;
    const because = why === '' ? '' : `: ${why.replace(/\.$/, '')}`;
    return {
      blocker,
      sentence: `${name} cannot write what it needs: the webhook ${hook}${of} refuses it${because}.`,
    };
  },
};
