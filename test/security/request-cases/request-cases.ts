import { admissionPluginNames } from '../../../apiserver/admission/plugin-table.ts';
import type { RequestCase } from './request-case.ts';
import { admission } from './admission-cases.ts';
import { access } from './access-cases.ts';
import { collections } from './collection-cases.ts';
import { custom } from './custom-resource-cases.ts';
import { answers } from './webhook-cases.ts';

/** All request cases. */
export const requestCases: readonly RequestCase[] = [
  ...admission,
  ...access,
  ...collections,
  ...custom,
  ...answers,
];

/** All plugins except those that reject every request or are tested by other cases. */
export const enabledPlugins: readonly string[] = admissionPluginNames.filter(
  (name) =>
    ![
      'AlwaysDeny',
      'PodSecurityPolicy',
      'SecurityContextDeny',
      'EventRateLimit',
      'LimitPodHardAntiAffinityTopology',
      'NamespaceAutoProvision',
    ].includes(name),
);
