/* SPDX-License-Identifier: MIT
 * cairn_c.h: worlds of Cairn for C and for languages that can call C. Link libcairn_c.
 *
 *   CairnWorld* world = NULL;
 *   cairn_world_create(NULL, &world);
 *   CairnShape* ball = NULL;
 *   cairn_sphere(0.5, &ball);
 *   CairnBodyDef def = cairn_body_def();
 *   def.position[2] = 2;
 *   CairnBody body;
 *   if (cairn_add_body(world, &def, (const CairnShape* const*)&ball, 1, &body) != CAIRN_OK) puts(cairn_error());
 *
 * Every function that can fail returns a CairnStatus and changes nothing then; cairn_error() says why, per thread. No
 * exception leaves the library. Units are SI, quaternions are w, x, y, z. Structs that the caller fills begin with
 * their size, which their makers set: so fields can be added at their ends without breaking programs that are compiled.
 */
#ifndef CAIRN_C_H
#define CAIRN_C_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CAIRN_API __attribute__((visibility("default")))
#else
#define CAIRN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when something that is declared here changes its meaning. */
#define CAIRN_C_VERSION 1

typedef enum CairnStatus {
  CAIRN_OK = 0,
  CAIRN_BAD_INPUT = 1,   /* a value cannot be used */
  CAIRN_IO = 2,          /* a file cannot be read or written */
  CAIRN_LIMIT = 3,       /* larger than a documented limit */
  CAIRN_UNSUPPORTED = 4, /* valid, but this solver cannot do it */
  CAIRN_FAILED = 5       /* anything else: out of memory */
} CairnStatus;

typedef enum CairnBodyKind { CAIRN_DYNAMIC = 0, CAIRN_FIXED = 1, CAIRN_KINEMATIC = 2 } CairnBodyKind;

typedef enum CairnJointKind { CAIRN_BALL = 0, CAIRN_HINGE = 1, CAIRN_PRISMATIC = 2, CAIRN_WELD = 3 } CairnJointKind;

/* Handles: one of a thing that was removed is recognised and refused. */
typedef struct CairnBody {
  uint32_t index, generation;
} CairnBody;
typedef struct CairnJoint {
  uint32_t index, generation;
} CairnJoint;

typedef struct CairnWorld CairnWorld; /* destroyed by cairn_world_destroy */
typedef struct CairnShape CairnShape; /* destroyed by cairn_shape_destroy; bodies keep copies */

typedef struct CairnSettings {
  uint32_t size;
  double gravity[3];  /* m/s^2 */
  const char* solver; /* a name of `cairn solvers`; NULL: the default */
  int32_t iterations; /* of solvers without sub-steps */
  int32_t threads;    /* 0: every processor; results do not depend on it */
  int32_t sleep;      /* not 0: islands that rest are put to sleep */
} CairnSettings;

typedef struct CairnBodyDef {
  uint32_t size;
  int32_t kind; /* CairnBodyKind */
  double position[3], orientation[4];
  double linear_velocity[3], angular_velocity[3];
  double linear_damping, angular_damping, gravity_scale;
  int32_t continuous; /* not 0: stops at its time of impact */
  uint64_t user;
} CairnBodyDef;

typedef struct CairnJointDef {
  uint32_t size;
  int32_t kind;             /* CairnJointKind */
  CairnBody body_a, body_b; /* cairn_no_body() for body_a: the world */
  double point[3], axis[3]; /* of the world, as the bodies are now */
  double lower, upper;      /* rad or m; equal: no limits */
  double drive_speed;       /* rad/s or m/s */
  double drive_max_force;   /* N m or N; 0: no drive */
  uint64_t user;
} CairnJointDef;

typedef struct CairnState {
  double position[3], orientation[4]; /* of the frame of the body */
  double linear_velocity[3], angular_velocity[3];
  double mass;
  int32_t asleep;
} CairnState;

typedef struct CairnReport {
  int64_t step, contacts, islands;
  double time, residual, kinetic_energy, potential_energy, max_overlap;
} CairnReport;

typedef struct CairnRay {
  double origin[3], direction[3]; /* the direction need not be unit */
  double length;                  /* m */
} CairnRay;

typedef struct CairnHit {
  int32_t any; /* 0: nothing was met, and the rest is 0 */
  CairnBody body;
  double distance, point[3], normal[3];
} CairnHit;

/* Where the world keeps its bodies: row i belongs to the body of that index. Valid until bodies are added, a state is
 * restored or the world is destroyed. */
typedef struct CairnArrays {
  size_t count;
  const double* position;         /* of the centre of mass: 3 numbers, next row after pose_stride bytes */
  const double* orientation;      /* 4 numbers, pose_stride */
  const double* linear_velocity;  /* 3 numbers, velocity_stride */
  const double* angular_velocity; /* 3 numbers, velocity_stride */
  size_t pose_stride, velocity_stride;
} CairnArrays;

typedef struct CairnContactEvent {
  int32_t kind; /* 0 begin, 1 persist, 2 end */
  CairnBody body_a, body_b;
  double point[3], normal[3], impulse;
} CairnContactEvent;

/* Called on the stepping thread, in a fixed order. A listener may edit the world, a filter may only read it. */
typedef void (*CairnListener)(void* user, const CairnContactEvent* event);
typedef int32_t (*CairnFilter)(void* user, CairnBody body_a, CairnBody body_b);

CAIRN_API const char* cairn_version(void); /* of the engine: "0.1.0" */
CAIRN_API int32_t cairn_c_version(void);   /* CAIRN_C_VERSION of the library */
CAIRN_API const char* cairn_error(void);   /* of the last call of this thread that failed; never NULL */

CAIRN_API CairnSettings cairn_settings(void);
CAIRN_API CairnBodyDef cairn_body_def(void);
CAIRN_API CairnJointDef cairn_joint_def(void);
CAIRN_API CairnBody cairn_no_body(void);

CAIRN_API CairnStatus cairn_world_create(const CairnSettings* settings, CairnWorld** out); /* NULL: defaults */
CAIRN_API void cairn_world_destroy(CairnWorld* world);
CAIRN_API CairnStatus cairn_step(CairnWorld* world, double dt, CairnReport* report); /* report may be NULL */
CAIRN_API CairnStatus cairn_set_listener(CairnWorld* world, CairnListener listener, void* user);
CAIRN_API CairnStatus cairn_set_filter(CairnWorld* world, CairnFilter filter, void* user);

CAIRN_API CairnStatus cairn_sphere(double radius, CairnShape** out);
CAIRN_API CairnStatus cairn_box(double half_x, double half_y, double half_z, CairnShape** out);
CAIRN_API CairnStatus cairn_capsule(double radius, double half_length, CairnShape** out);
CAIRN_API CairnStatus cairn_cylinder(double radius, double half_height, CairnShape** out);
CAIRN_API CairnStatus cairn_half_space(const double normal[3], double offset, CairnShape** out);
CAIRN_API CairnStatus cairn_hull(const double* points, size_t count, CairnShape** out); /* 3 numbers each */
CAIRN_API CairnStatus cairn_shape_place(CairnShape* shape, const double position[3], const double orientation[4]);
CAIRN_API CairnStatus cairn_shape_material(CairnShape* shape, double friction, double restitution, double density);
CAIRN_API void cairn_shape_destroy(CairnShape* shape);

CAIRN_API CairnStatus cairn_add_body(CairnWorld* world, const CairnBodyDef* def, const CairnShape* const* shapes,
                                     size_t count, CairnBody* out);
CAIRN_API CairnStatus cairn_remove_body(CairnWorld* world, CairnBody body);
CAIRN_API CairnStatus cairn_get_state(const CairnWorld* world, CairnBody body, CairnState* out);
CAIRN_API CairnStatus cairn_get_arrays(const CairnWorld* world, CairnArrays* out);
CAIRN_API CairnStatus cairn_set_pose(CairnWorld* world, CairnBody body, const double position[3],
                                     const double orientation[4]);
CAIRN_API CairnStatus cairn_set_velocity(CairnWorld* world, CairnBody body, const double linear[3],
                                         const double angular[3]);
CAIRN_API CairnStatus cairn_add_force(CairnWorld* world, CairnBody body, const double force[3]);
CAIRN_API CairnStatus cairn_add_impulse(CairnWorld* world, CairnBody body, const double impulse[3]);

CAIRN_API CairnStatus cairn_add_joint(CairnWorld* world, const CairnJointDef* def, CairnJoint* out);
CAIRN_API CairnStatus cairn_remove_joint(CairnWorld* world, CairnJoint joint);
/* The coordinate of a hinge (rad) or prismatic joint (m). */
CAIRN_API CairnStatus cairn_joint_position(const CairnWorld* world, CairnJoint joint, double* out);

/* The first shape on a ray. */
CAIRN_API CairnStatus cairn_cast_ray(const CairnWorld* world, const CairnRay* ray, CairnHit* out);

/* The state as bytes. Called with out NULL, only *size is written; else *size bytes are written if they fit. */
CAIRN_API CairnStatus cairn_save(const CairnWorld* world, void* out, size_t capacity, size_t* size);
CAIRN_API CairnStatus cairn_restore(CairnWorld* world, const void* bytes, size_t size);
/* 32 hexadecimal digits and a zero. */
CAIRN_API CairnStatus cairn_state_hash(const CairnWorld* world, char out[33]);

#ifdef __cplusplus
}
#endif

#endif /* CAIRN_C_H */
