type Conditions = readonly ({ readonly type?: string; readonly status?: string } | null)[];

/** Returns the status of a condition; undefined without the condition. */
export const statusOf = (conditions: Conditions | undefined, type: string): string | undefined =>
  conditions?.find((each) => each?.type === type)?.status;
