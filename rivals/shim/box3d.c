// Box3D's broad phase for the adapter in src/adapters/box3d.rs: a world of its own, with its own bodies, shapes and
// contacts, through the stages of its step that have to do with boxes, in their order. Its internal headers are used, because
// its step cannot be taken in part. What is a function there is called; what is a part of a larger one is marked below.

#include "bitset.h"
#include "body.h"
#include "broad_phase.h"
#include "contact.h"
#include "core.h"
#include "ctz.h"
#include "parallel_for.h"
#include "physics_world.h"
#include "platform.h"
#include "scheduler.h"
#include "shape.h"
#include "solver_set.h"

#include "box3d/box3d.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct Box
{
	float min[3], max[3];
} Box;

typedef struct Frame
{
	b3World* world;
	const Box* boxes;
	const uint32_t* moved;
	const int* contactIndices;
} Frame;

static b3AABB bounds( const Box* box )
{
	return (b3AABB){ { box->min[0], box->min[1], box->min[2] }, { box->max[0], box->max[1], box->max[2] } };
}

static b3AABB fatten( b3AABB aabb, float margin )
{
	b3Vec3 margins = { margin, margin, margin };
	return (b3AABB){ b3Sub( aabb.lowerBound, margins ), b3Add( aabb.upperBound, margins ) };
}

// As in b3FinalizeBodiesTask, for bodies of one shape that are not fast. The box is given, not computed, and lacks the
// speculative distance that the engine adds to it.
static void look_at_boxes( int start, int end, int worker, void* context )
{
	Frame* frame = context;
	b3Shape* shapes = frame->world->shapes.data;
	b3BitSet* enlarged = &frame->world->taskContexts.data[worker].enlargedSimBitSet;
	for ( int i = start; i < end; ++i )
	{
		uint32_t id = frame->moved[i];
		b3Shape* shape = shapes + id;
		b3AABB aabb = bounds( frame->boxes + id );
		shape->aabb = aabb;
		if ( b3AABB_Contains( shape->fatAABB, aabb ) == false )
		{
			shape->fatAABB = fatten( aabb, shape->aabbMargin );
			shape->flags |= b3_enlargedAABB;
			b3SetBit( enlarged, id );
		}
	}
}

// The end of b3Solve: proxies of enlarged shapes, in the order of bodies.
static void enlarge_proxies( b3World* world )
{
	b3BitSet* enlarged = &world->taskContexts.data[0].enlargedSimBitSet;
	for ( int i = 1; i < world->workerCount; ++i )
	{
		b3InPlaceUnion( enlarged, &world->taskContexts.data[i].enlargedSimBitSet );
	}
	for ( uint32_t k = 0; k < enlarged->blockCount; ++k )
	{
		for ( uint64_t word = enlarged->bits[k]; word != 0; word &= word - 1 )
		{
			b3Shape* shape = world->shapes.data + 64 * k + b3CTZ64( word );
			b3BroadPhase_EnlargeProxy( &world->broadPhase, shape->proxyKey, shape->fatAABB );
			shape->flags &= ~b3_enlargedAABB;
		}
	}
}

// The beginning of b3CollideTask: do the fat boxes of a contact still overlap? What follows there is the narrow phase.
static void look_at_contacts( int start, int end, int worker, void* context )
{
	const int ahead = 4;
	Frame* frame = context;
	b3Contact* contacts = frame->world->contacts.data;
	b3Shape* shapes = frame->world->shapes.data;
	b3BitSet* changed = &frame->world->taskContexts.data[worker].contactStateBitSet;
	for ( int i = start; i < end; ++i )
	{
		if ( i < end - ahead )
		{
			// The engine asks for four lines, of which the narrow phase needs the last two.
			const char* soon = (const char*)( contacts + frame->contactIndices[i + ahead] );
			b3Prefetch( soon );
			b3Prefetch( soon + 64 );
		}
		b3Contact* contact = contacts + frame->contactIndices[i];
		b3Shape* shapeA = shapes + contact->shapeIdA;
		b3Shape* shapeB = shapes + contact->shapeIdB;
		if ( b3AABB_Overlaps( shapeA->fatAABB, shapeB->fatAABB ) == false )
		{
			contact->flags |= b3_simDisjoint;
			contact->flags &= ~b3_simTouchingFlag;
			b3SetBit( changed, contact->contactId );
		}
	}
}

// b3Collide, whose contacts are all of those that do not touch, because no narrow phase says they do.
static void end_contacts( Frame* frame )
{
	b3World* world = frame->world;
	b3SolverSet* awake = world->solverSets.data + b3_awakeSet;
	int count = awake->contactIndices.count;
	if ( count == 0 )
	{
		return;
	}
	int* indices = b3StackAlloc( &world->stack, count * (int)sizeof( int ), "contact indices" );
	memcpy( indices, awake->contactIndices.data, count * sizeof( int ) );
	frame->contactIndices = indices;
	int capacity = b3GetIdCapacity( &world->contactIdPool );
	for ( int i = 0; i < world->workerCount; ++i )
	{
		b3SetBitCountAndClear( &world->taskContexts.data[i].contactStateBitSet, capacity );
	}
	b3ParallelFor( world, look_at_contacts, count, 20, frame, "collide" );
	b3StackFree( &world->stack, indices );
	frame->contactIndices = NULL;

	b3BitSet* changed = &world->taskContexts.data[0].contactStateBitSet;
	for ( int i = 1; i < world->workerCount; ++i )
	{
		b3InPlaceUnion( changed, &world->taskContexts.data[i].contactStateBitSet );
	}
	for ( uint32_t k = 0; k < changed->blockCount; ++k )
	{
		for ( uint64_t word = changed->bits[k]; word != 0; word &= word - 1 )
		{
			b3DestroyContact( world, world->contacts.data + 64 * k + b3CTZ64( word ), false );
		}
	}
}

static void step( b3World* world, const Box* boxes, const uint32_t* moved, int count )
{
	Frame frame = { world, boxes, moved, NULL };
	world->activeTaskCount = 0;
	world->taskCount = 0;
	if ( world->scheduler != NULL )
	{
		b3ResetScheduler( world->scheduler );
	}
	if ( count > 0 )
	{
		for ( int i = 0; i < world->workerCount; ++i )
		{
			b3SetBitCountAndClear( &world->taskContexts.data[i].enlargedSimBitSet, world->shapes.count );
		}
		b3ParallelFor( world, look_at_boxes, count, 16, &frame, "finalize" );
		enlarge_proxies( world );
	}
	b3UpdateBroadPhasePairs( world );
	end_contacts( &frame );
	// In the engine the narrow phase and the solver run beside the rebuild of the tree.
	if ( world->userTreeTask != NULL )
	{
		world->finishTaskFcn( world->userTreeTask, world->userTaskContext );
		world->userTreeTask = NULL;
		world->activeTaskCount -= 1;
	}
	b3GrowStack( &world->stack );
}

// A world in which body, shape and box have the same number. The margin is the one that Box3D gives to a box of this size: it
// depends on the distance of the farthest point, so that of a ball around it is the same, and there is a ball around a flat
// box, too. Its box, and what it makes of that, is the one given. NULL where there are too many worlds.
b3World* rivals_box3d_new( const Box* boxes, uint32_t count, uint32_t threads )
{
	b3WorldDef definition = b3DefaultWorldDef();
	definition.enableSleep = false;
	definition.workerCount = threads;
	definition.capacity.dynamicShapeCount = (int)count;
	definition.capacity.dynamicBodyCount = (int)count;
	b3WorldId worldId = b3CreateWorld( &definition );
	if ( b3World_IsValid( worldId ) == false )
	{
		return NULL;
	}
	b3World* world = b3GetWorldFromId( worldId );
	b3BodyDef bodyDef = b3DefaultBodyDef();
	bodyDef.type = b3_dynamicBody;
	b3ShapeDef shapeDef = b3DefaultShapeDef();
	shapeDef.updateBodyMass = false;
	// The proxy that a shape makes itself is taken out again at once: it need not be looked for among those that moved.
	shapeDef.invokeContactCreation = false;
	for ( uint32_t id = 0; id < count; ++id )
	{
		b3AABB aabb = bounds( boxes + id );
		b3Vec3 half = b3MulSV( 0.5f, b3Sub( aabb.upperBound, aabb.lowerBound ) );
		bodyDef.position = b3ToPos( b3Add( aabb.lowerBound, half ) );
		b3BodyId bodyId = b3CreateBody( worldId, &bodyDef );
		b3Body* body = b3GetBodyFullId( world, bodyId );
		// Its proxy is made for the box that is given, not for the ball. As one of a static body, the one it makes itself is alone
		// in its tree and can be taken out again at once.
		body->type = b3_staticBody;
		b3Sphere sphere = { b3Vec3_zero, b3Length( half ) };
		b3CreateSphereShape( bodyId, &shapeDef, &sphere );
		b3Shape* shape = world->shapes.data + id;
		b3BroadPhase_DestroyProxy( &world->broadPhase, shape->proxyKey );
		body->type = b3_dynamicBody;
		shape->aabb = aabb;
		shape->fatAABB = fatten( aabb, shape->aabbMargin );
		shape->proxyKey = b3BroadPhase_CreateProxy( &world->broadPhase, b3_dynamicBody, shape->fatAABB, shape->filter.categoryBits,
													shape->id, false );
	}
	step( world, boxes, NULL, 0 );
	return world;
}

void rivals_box3d_delete( b3World* world )
{
	b3DestroyWorld( (b3WorldId){ .index1 = (uint16_t)( world->worldId + 1 ), .generation = world->generation } );
}

void rivals_box3d_update( b3World* world, const Box* boxes, const uint32_t* moved, uint32_t count )
{
	step( world, boxes, moved, (int)count );
}

uint32_t rivals_box3d_pair_count( const b3World* world )
{
	return (uint32_t)world->solverSets.data[b3_awakeSet].contactIndices.count;
}

void rivals_box3d_pairs( const b3World* world, uint32_t* ids )
{
	const b3SolverSet* awake = world->solverSets.data + b3_awakeSet;
	for ( int i = 0; i < awake->contactIndices.count; ++i )
	{
		const b3Contact* contact = world->contacts.data + awake->contactIndices.data[i];
		*ids++ = (uint32_t)contact->shapeIdA;
		*ids++ = (uint32_t)contact->shapeIdB;
	}
}
