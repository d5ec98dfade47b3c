# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One smooth convex body on one smooth floor: sliding, rolling, friction, impact.

Equations and sources are in docs/contact.md. To read the code, in this order:

    shapes, floors          the two surfaces: a body H(s) = 0, a floor G(t, x) = 0, checked once
    surface_functions,      their values and derivatives, compiled; those of a formula by formula
    floor_functions         and jets
    model                   ContactModel; start a run, step a tick
    solver/layout           the flat contact (30,) and the constants, by name
    solver/held             constants of a tick, unpacked; the state of sixteen floats
    solver/advance          a tick: flight and contact, in turns, until it is over
    solver/flight           RK4 of the free body, until the gap closes
    solver/detection        the lowest point of the body over the floor
    solver/transitions      the impact, and the regime that follows it
    solver/impact           the impulse of an impact
    solver/sustained_contact   sub-steps in one regime, until it ends
    solver/substeps         one of them: RK4, the reaction in each stage, projection
    solver/geometry         arm, normal, gap and curvature at the contact
    solver/unconstrained_motion, solver/floor_terms   the motion without the reaction
    solver/constraint       the reaction that keeps the constraint, and the rates under it
    solver/projection       gap and velocity put back on the constraint
    solver/regime_limits    limits of a regime's forces, and of the change in a sub-step
    solver/closed_form      the same sub-step of an ellipsoid on a plane at rest, faster
    solver/reporting        the flat contact at the end of a tick;  solver/reading: that by name
    solver/initial_contact  the same at the start of a run
"""
