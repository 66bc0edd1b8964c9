import { goList } from './rule-coverage.ts';

/** Authorization modes, by their command-line names. */
export const AUTHORIZATION_MODES = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const;
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

const isMode = (text: string): text is AuthorizationMode =>
  (AUTHORIZATION_MODES as readonly string[]).includes(text);

/**
 * Validates the selected modes and their files. Returns upstream's messages, or an empty list if the
 * selection is valid.
 */
export function modeFaults(
  modes: readonly string[],
  files: { readonly policy: string; readonly webhookConfig: string },
): readonly string[] {
  const faults: string[] = [];
  if (modes.length === 0) faults.push('at least one authorization-mode must be passed');
  for (const mode of modes) {
    if (!isMode(mode)) faults.push(`authorization-mode ${JSON.stringify(mode)} is not a valid mode`);
    if (mode === 'ABAC' && files.policy === '')
      faults.push("authorization-mode ABAC's authorization policy file not passed");
    if (mode === 'Webhook' && files.webhookConfig === '')
      faults.push("authorization-mode Webhook's authorization config file not passed");
  }
  if (files.policy !== '' && !modes.includes('ABAC'))
    faults.push('cannot specify --authorization-policy-file without mode ABAC');
  if (files.webhookConfig !== '' && !modes.includes('Webhook'))
    faults.push('cannot specify --authorization-webhook-config-file without mode Webhook');
  if (new Set(modes).size !== modes.length)
    faults.push(`authorization-mode ${goList(modes)} has mode specified more than once`);
  return faults;
}

/** Returns the modes. Must be called only after `modeFaults` has returned an empty list. */
export const knownModes = (modes: readonly string[]): readonly AuthorizationMode[] => modes.filter(isMode);
