/** Gives an object the fields of a fresh one and no others: no field can be forgotten at a boundary (GWS-08). */
export function resetFields(state: object, fresh: object): void {
  for (const name of Object.keys(state)) if (!Object.hasOwn(fresh, name)) Reflect.deleteProperty(state, name);
  Object.assign(state, fresh);
}
